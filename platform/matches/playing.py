"""Playing a claimed match: bots out of the storage, the arena, and the result into the database."""

import logging

from agon.arena import PlatformFailure, Played

from agon import arena
from agon.leases import renewing
from agon.worker import worker_pool
from bots import artifacts
from matches import leases
from matches.models import Match
from sandbox.api import SandboxError

log = logging.getLogger(__name__)


def play(match: Match) -> bool:
    """Play a match that this worker holds and write down how it ended; False if the platform failed."""
    try:
        with renewing(lambda: leases.renew(match)):
            played = _played(match)
            leases.finish(match, played)
    except (PlatformFailure, SandboxError) as error:
        leases.fail(match, str(error))
        return False
    except Exception as error:  # a referee's or our own: never the bots'
        log.exception("match %s could not be played", match.pk)
        leases.fail(match, repr(error))
        return False
    return True


def _played(match: Match) -> Played:
    info = match.competition.info
    seats = match.seats.select_related("submission__bot").order_by("number")
    players = [arena.Player(seat.submission.bot.name, artifacts.fetch(seat.submission)) for seat in seats]
    return arena.play(info, players, match.seed, worker_pool(arena.limits(info)))
