"""`agon whoami`: the account that commands act as, and what its token may do."""

from __future__ import annotations

from agon.cli.arguments import JsonOption
from agon.cli.output import print_json
from agon.cli.sites import SiteOption
from agon.cli.sites import site as chosen


def whoami(site: SiteOption = None, json: JsonOption = False) -> None:
    with chosen(site) as found:
        account = found.me()
    if json:
        print_json(account)
        return
    token = account["token"]
    print(f"{account['name']} at {found.url}")
    print(f"token {token['name']}: {', '.join(token['scopes'])}", end="")
    print(f"; only {token['competition']}" if token["competition"] else "", end="")
    print(f"; until {token['expires']}" if token["expires"] else "")
