"""The matches that a worker claimed together, while it plays them one after the other.

A claim costs the database about as much for one match as for many, and so does storing results. Where matches
are short, a worker therefore claims several at a time, and stores their results together when the last one
has ended. A batch is about SPAN seconds of work, judged by how long matches took on this worker (`Pace`).

Only tournament matches are claimed in batches. Which rated match comes next depends on whose matches are
being played (`agon.site.matches.order`): a batch of them would be chosen too early, and could hold the
matches of one author only.

Between two matches, every CHECK_EVERY seconds, the worker checks the matches that it has claimed and not
begun, and hands back

- those that are no longer wanted: the tournament was paused or cancelled, or one of the bots was stopped;
- all of them, if an interactive match is waiting, or if the batch takes longer than OVERDUE.

- Processes: the worker's main thread plays. While one match takes long, the thread that renews leases hands
  back what was not begun and stores what has ended, so that no result waits for a later match, or is missing
  from a day of the chain of results that was closed meanwhile.
- Failure: if the worker dies, the results of the batch that were not stored are lost, and those matches are
  played again once their leases have expired. If the results cannot be stored together, each is stored by
  itself, and only those that cannot be stored are lost. If the platform fails in a match, the results of
  those before it are stored, and the rest is handed back.
"""

import logging
import threading
import time
from collections.abc import Sequence

from agon.contest.arena import Played
from agon.contest.attempts import FailureKind
from agon.site.core.db.leases import unforeseen
from agon.site.matches import leases, results
from agon.site.matches.models import Match
from agon.site.matches.results import Ended

SPAN = 0.5  # seconds of work that are claimed together
LARGEST = 64  # matches
CHECK_EVERY = 0.25  # seconds
OVERDUE = 2 * SPAN
SMOOTHING = 0.9  # the weight of the old estimate when a match was shorter

log = logging.getLogger(__name__)


class Pace:
    """An estimate of how long a match takes on this worker.

    A long match raises it at once, short ones lower it slowly: better a small batch than a late one.
    """

    def __init__(self) -> None:
        self._seconds = SPAN

    def note(self, seconds: float) -> None:
        """Update the estimate with a match that took so many seconds."""
        self._seconds = max(seconds, SMOOTHING * self._seconds + (1 - SMOOTHING) * seconds)

    @property
    def matches(self) -> int:
        """The number of matches to claim."""
        return max(1, min(LARGEST, int(SPAN / self._seconds)))


class Batch:
    """Claimed matches, each of which is waiting, being played, or ended and not yet stored."""

    def __init__(self, matches: Sequence[Match], environment: str = "") -> None:
        """environment: the digest of what they are played in (agon.site.fleet.environments)."""
        self._environment = environment
        self._waiting = list(matches)
        self._playing: Match | None = None
        self._ended: list[Ended] = []
        self.is_stored = True  # False once a result could not be stored, and its match was reported as failed
        self._changing = threading.RLock()  # `renew` is called by another thread
        self._storing = threading.Lock()
        self._checked = self._began = time.monotonic()

    def next(self) -> Match | None:
        """The match to play now, if one is left."""
        with self._changing:
            if self._waiting and time.monotonic() - self._checked > CHECK_EVERY:
                self._check()
            self._playing = self._waiting.pop(0) if self._waiting else None
            return self._playing

    def add_result(self, match: Match, played: Played) -> None:
        """Keep the result of the match that `next` returned last, until it is stored."""
        with self._changing:
            self._playing = None
            self._ended.append(results.just_ended(match, played, self._environment))

    def hand_back_waiting(self) -> None:
        """Hand back the matches that were not begun."""
        with self._changing:
            waiting, self._waiting = self._waiting, []
            leases.hand_back(waiting)

    def store(self) -> None:
        """Store the results so far. Waits for another thread that is storing some."""
        with self._storing:
            with self._changing:
                ended, self._ended = self._ended, []
            try:
                leases.finish_all(ended)
            except Exception:
                log.exception("the results of %s matches could not be stored together", len(ended))
                self.is_stored &= all([_store_alone(each) for each in ended])

    def renew(self) -> bool:
        """Renew the lease of the match that is being played; False if there is none, or if its lease is lost.

        The current match takes long. So this also hands back those that were to follow, and stores those that
        have ended.
        """
        self.hand_back_waiting()
        self.store()
        with self._changing:
            return leases.renew(*([self._playing] if self._playing else []))

    def _check(self) -> None:
        self._checked = time.monotonic()
        if self._checked - self._began > OVERDUE or leases.is_interactive_waiting():
            self.hand_back_waiting()
            return
        lost = leases.not_to_begin(self._waiting)
        self._waiting = [match for match in self._waiting if match not in lost]
        leases.hand_back(lost)


def _store_alone(ended: Ended) -> bool:
    try:
        leases.finish_all([ended])
    except Exception as error:
        log.exception("the result of match %s could not be stored", ended.match.pk)
        leases.fail(ended.match, unforeseen(error), kind=FailureKind.RESULT)
        return False
    return True
