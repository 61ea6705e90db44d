"""The environments that matches were played in: the sandbox, the digests of its images, and versions.

A worker stores its environment once, under the digest of its facts. A finished match has the digest, and the
archive of a tournament lists the environments.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from agon.site.fleet.models import Environment
from agon.site.matches.models import Match
from games.core.record import canonical

DIGITS = 16  # hexadecimal, of the SHA-256: a site has few environments, and each match repeats the digest


def store(facts: Mapping[str, Any]) -> str:
    """Store these facts, unless they are stored already, and return their digest."""
    digest = hashlib.sha256(canonical(dict(facts)).encode()).hexdigest()[:DIGITS]
    Environment.objects.get_or_create(digest=digest, defaults={"facts": dict(facts)})
    return digest


def of_tournament(tournament: int) -> dict[str, dict[str, Any]]:
    """The environments of the tournament's finished matches: facts by digest."""
    finished = Match.objects.filter(tournament=tournament, state=Match.State.FINISHED)
    digests = finished.exclude(environment="").order_by().values("environment").distinct()
    return dict(
        Environment.objects.filter(digest__in=digests).order_by("digest").values_list("digest", "facts")
    )
