"""`agon logout`: forgets the token of a site. The token itself is revoked on the page of the account."""

import os
from typing import Any

from agon.cli.output import CommandError, say
from agon.cli.sites import SiteOption, change, known


def logout(site: SiteOption = None) -> None:
    url = (site or os.environ.get("AGON_SITE") or known().get("site") or "").rstrip("/")
    if url not in known().get("tokens", {}):
        raise CommandError(f"not signed in to {url}" if url else "not signed in to any site")

    def forget(kept: dict[str, Any]) -> None:
        kept["tokens"].pop(url, None)  # another command may have been first

    change(forget)
    say(f"the token for {url} is forgotten here; revoke it at {url}/accounts/tokens/")
