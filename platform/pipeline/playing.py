"""Plays a claimed match: fetches the bots from the storage, runs the arena, stores the result."""

import logging

from agon.db.leases import ATTEMPTS, renewing, unforeseen
from bots import artifacts
from contest import arena
from contest.arena import PlatformFailure, Played
from matches import leases
from matches.models import Match
from pipeline.worker import worker
from sandbox.api import SandboxError

log = logging.getLogger(__name__)


def play(match: Match) -> bool:
    """Play a match that this worker holds, and store how it ended; False if the platform failed."""
    try:
        with renewing(lambda: leases.renew(match)):
            played = _played(match)
            leases.finish(match, played)
    except (PlatformFailure, SandboxError) as error:
        leases.fail(match, str(error), getattr(error, "used", ()))
        return False
    except Exception as error:  # a referee's or our own fault, never the bots'
        log.exception("match %s could not be played", match.pk)
        leases.fail(match, unforeseen(error))
        return False
    return True


def _played(match: Match) -> Played:
    info = match.competition.info
    seats = list(match.seats.select_related("submission").order_by("number"))
    pool = worker.pool()
    try:
        players = [
            arena.Player(seat.name, artifacts.fetch(seat.submission), seat.submission.digest)
            for seat in seats
        ]
        tried = frozenset(seat.number for seat in seats if seat.submission_id == match.qualifies_id)
        return arena.play(info, players, match.seed, pool, tried, final=match.attempt >= ATTEMPTS)
    finally:
        artifacts.release(spare=pool.digests)
