"""The matches that a worker claimed together, while it plays them one after the other.

A claim and a result cost the site about as much for one match as for many. Where matches are short, a worker
therefore claims several at a time, and stores their results together when the last one has ended. How many is
decided by how long matches took here (`Pace`): a batch is SPAN of work. Only matches of tournaments are
claimed so: which rated match is next depends on whose matches are being played (`matches.order`), so that a
batch would be chosen too early, and could hold one author's matches only. Between two matches, every
LOOK seconds, the worker looks at what it has claimed and not begun, and gives up

- what is no longer to be played: its tournament was paused or cancelled, or one of its bots was stopped;
- all of it, if an interactive match waits, or if the batch takes longer than OVERDUE.

While one match takes long, the thread that renews leases gives up what was not begun, and stores what ended:
no result waits for a later match, or is found missing in a day of the chain that was closed meanwhile.

**Failure.** If the worker dies, nothing of the batch that was not stored counts: all of it is played again
once its lease has expired. If the results cannot be stored together, each is stored by itself, and only those
that cannot be stored are lost. If the platform fails in a match, the results of those before it are stored,
and the others are given up.
"""

import logging
import threading
import time
from collections.abc import Sequence

from agon.db.leases import unforeseen
from contest.arena import Played
from matches import leases, results
from matches.models import Match
from matches.results import Ended

SPAN = 0.5  # seconds of work that are claimed together
MOST = 64  # matches
LOOK = 0.25  # seconds
OVERDUE = 2 * SPAN
FADES = 0.9  # of an estimate is left after a shorter match

log = logging.getLogger(__name__)


class Pace:
    """How long matches take here. It rises at once and falls slowly: few long ones are claimed together."""

    def __init__(self) -> None:
        self._seconds = SPAN

    def note(self, seconds: float) -> None:
        self._seconds = max(seconds, FADES * self._seconds + (1 - FADES) * seconds)

    @property
    def matches(self) -> int:
        """How many to claim."""
        return max(1, min(MOST, int(SPAN / self._seconds)))


class Batch:
    """Claimed matches, each either waiting, being played, or ended and not yet stored."""

    def __init__(self, matches: Sequence[Match], environment: str = "") -> None:
        """environment: what they are played in (matches.environments)."""
        self._environment = environment
        self._waiting = list(matches)
        self._playing: Match | None = None
        self._ended: list[Ended] = []
        self.is_stored = True  # unless the result of one could not be stored, and was reported as failed
        self._changing = threading.RLock()  # `keep` is called by another thread
        self._storing = threading.Lock()
        self._looked = self._began = time.monotonic()

    def next(self) -> Match | None:
        """The match to play now, if one is left."""
        with self._changing:
            if self._waiting and time.monotonic() - self._looked > LOOK:
                self._look()
            self._playing = self._waiting.pop(0) if self._waiting else None
            return self._playing

    def has_ended(self, match: Match, played: Played) -> None:
        with self._changing:
            self._playing = None
            self._ended.append(results.ended(match, played, self._environment))

    def give_up(self) -> None:
        """Hand back what was not begun."""
        with self._changing:
            waiting, self._waiting = self._waiting, []
            leases.hand_back(waiting)

    def store(self) -> None:
        """Store the results so far. Those that another thread is storing are stored when this returns."""
        with self._storing:
            with self._changing:
                ended, self._ended = self._ended, []
            try:
                leases.finish_all(ended)
            except Exception:
                log.exception("the results of %s matches could not be stored together", len(ended))
                self.is_stored &= all([_store_alone(each) for each in ended])

    def keep(self) -> bool:
        """Renew the lease of the match that is played; hand back those that should have been begun by now,
        and store those that ended. False if none is played.
        """
        self.give_up()
        self.store()
        with self._changing:
            return leases.renew(*([self._playing] if self._playing else []))

    def _look(self) -> None:
        self._looked = time.monotonic()
        if self._looked - self._began > OVERDUE or leases.is_interactive_waiting():
            self.give_up()
            return
        lost = leases.not_to_begin(self._waiting)
        self._waiting = [match for match in self._waiting if match not in lost]
        leases.hand_back(lost)


def _store_alone(ended: Ended) -> bool:
    try:
        leases.finish_all([ended])
    except Exception as error:
        log.exception("the result of match %s could not be stored", ended.match.pk)
        leases.fail(ended.match, unforeseen(error))
        return False
    return True
