"""Plays matches that this worker has claimed: fetches the bots, runs the arena, stores the results."""

import logging
from collections.abc import Sequence

from agon.contest import arena
from agon.contest.arena import PlatformFailure, Played
from agon.contest.attempts import FailureKind
from agon.site.bots import artifacts
from agon.site.bots.artifacts import ArtifactLost, CannotFetch
from agon.site.core.db.leases import renewing, unforeseen
from agon.site.fleet import pausing
from agon.site.matches import leases
from agon.site.matches.models import Match, Seat
from agon.site.workers.batches import Batch, Pace
from agon.site.workers.broadcasting import broadcasting
from agon.site.workers.worker import worker
from sandbox.api import SandboxError

pace = Pace()  # of this worker

log = logging.getLogger(__name__)


def play(*matches: Match, environment: str = "") -> bool:
    """Play matches that this worker has leased, and store how they ended; False if the platform failed.

    After a failure the remaining matches are handed back. environment: the digest of what they are played in
    (agon.site.fleet.environments).
    """
    batch = Batch(matches, environment)
    with renewing(batch.renew):
        try:
            played_all = _play_each(batch, _seats_of(matches))
        finally:
            batch.store()
            batch.hand_back_waiting()
    return played_all and batch.is_stored


def _play_each(batch: Batch, seats: dict[int, list[Seat]]) -> bool:
    while match := batch.next():
        try:
            played = _play_match(match, seats[match.pk])
        except PlatformFailure as error:
            leases.fail(match, str(error), error.used, kind=error.kind, asked=error.asked)
            return False
        except CannotFetch as error:  # no other match could be played here either, and this was not begun
            leases.hand_back([match])
            pausing.pause(worker.name, str(error))
            return False
        except ArtifactLost as error:
            leases.fail(match, str(error), kind=FailureKind.ARTIFACT)
            return False
        except SandboxError as error:
            leases.fail(match, str(error), kind=FailureKind.SANDBOX)
            return False
        except Exception as error:  # a bug of the game's referee or of ours, never the bots' fault
            log.exception("match %s could not be played", match.pk)
            leases.fail(match, unforeseen(error))
            return False
        pace.note(played.seconds)
        batch.add_result(match, played)
    return True


def _seats_of(matches: Sequence[Match]) -> dict[int, list[Seat]]:
    found: dict[int, list[Seat]] = {match.pk: [] for match in matches}
    rows = Seat.objects.filter(match__in=matches).select_related("submission")
    for seat in rows.order_by("match", "number"):
        found[seat.match_id].append(seat)
    return found


def _play_match(match: Match, seats: Sequence[Seat]) -> Played:
    pool = worker.pool()
    try:
        players = [
            arena.Player(seat.name, artifacts.fetch(seat.submission), seat.submission.digest)
            for seat in seats
        ]
        seats_on_trial = frozenset(seat.number for seat in seats if seat.submission_id == match.qualifies_id)
        info = match.competition.info
        with broadcasting(match) as broadcast:
            return arena.play(info, players, match.seed, pool, seats_on_trial, broadcast.on_begin)
    finally:
        artifacts.release(spare=pool.digests)
