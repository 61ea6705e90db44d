"""Keeps attempts at matches that failed, and says what everyone may know of them.

A row is written in the transaction that queues the match again or makes it void (agon.site.matches.leases),
so none is without the other. The public gets its kind, in words of ours. What the system or a referee said
may name files and addresses of the site, and is for staff only.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from agon.contest.attempts import FailedAttempt as PublicAttempt
from agon.contest.attempts import FailureKind
from agon.site.core.db.leases import now
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.worker_names import place_of
from games.core.reason import Reason


def keep(match: Match, kind: FailureKind, details: Reason, asked: Iterable[int] = ()) -> FailedAttempt:
    """Store that the current attempt at a claimed match failed."""
    assert match.started is not None  # it was claimed
    return FailedAttempt.objects.create(
        match=match,
        asked=list(asked),
        kind=kind,
        details=details,
        worker=match.worker,
        started=match.started,
        ended=now(),
    )


def reason_of(kind: str) -> StoredReason:
    """What failed, for everyone."""
    return StoredReason(f"failure_{kind}")


class Shown(NamedTuple):
    """A failed attempt as the page of its match shows it. asked: the bots that had to answer."""

    ended: datetime
    what: StoredReason
    asked: list[str]
    worker: str


def shown(match: Match, names: Sequence[str]) -> list[Shown]:
    """The failed attempts at the match, the first one first. names: by seat, as the reader may see them."""
    return [
        Shown(
            attempt.ended,
            reason_of(attempt.kind),
            [names[number] for number in attempt.asked],
            public(attempt).worker,
        )
        for attempt in (match.failed_attempts.all() if match.attempt else ())  # none if never claimed
    ]


def public(attempt: FailedAttempt) -> PublicAttempt:
    """The attempt as everyone may see it."""
    return PublicAttempt(
        tuple(attempt.asked),
        FailureKind(attempt.kind),
        place_of(attempt.worker),
        attempt.started.astimezone(UTC).isoformat(),
        attempt.ended.astimezone(UTC).isoformat(),
    )


def public_json(attempt: FailedAttempt) -> str:
    """The same as JSON, with the number of its match. The chain of results has the digest of this text."""
    facts = {"match": attempt.match_id} | public(attempt)._asdict()
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))
