"""What matches were played in: the sandbox, the digests of its images, and versions.

A worker stores what it has found once, by its digest. A finished match names the digest, and the archive of a
tournament lists what was found. Matches of an older site name none.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from games.core.record import canonical
from matches.models import Environment, Match


def note(facts: Mapping[str, Any]) -> str:
    """The digest by which these facts are stored from now on."""
    digest = hashlib.sha256(canonical(dict(facts)).encode()).hexdigest()
    Environment.objects.get_or_create(digest=digest, defaults={"facts": dict(facts)})
    return digest


def of_tournament(tournament: int) -> dict[str, dict[str, Any]]:
    """The facts that its finished matches were played under, by digest."""
    played = Match.objects.filter(tournament=tournament, state=Match.State.FINISHED)
    named = played.exclude(environment="").order_by().values("environment").distinct()
    return dict(
        Environment.objects.filter(digest__in=named).order_by("digest").values_list("digest", "facts")
    )
