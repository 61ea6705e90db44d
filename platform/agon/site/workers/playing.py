"""Plays waiting matches: those that a worker claims together, one after the other; stores how they ended.

A claim costs the database about as much for one match as for many, and so does storing results. Where matches
are short, a worker therefore claims several at a time, and stores their results together when the last one
has ended. A batch is about SPAN seconds of work, judged by how long matches took on this worker
(agon.site.workers.pace).

Only tournament matches are claimed in batches. Which rated match comes next depends on whose matches are
being played (`agon.site.matches.queueing`): a batch of them would be chosen too early, and could hold the
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
from collections.abc import Mapping, Sequence

from agon.contest import arena
from agon.contest.arena import Played
from agon.contest.attempts import FailureKind
from agon.contest.platform_failure import PlatformFailure
from agon.site.bots import artifacts
from agon.site.bots.artifacts import ArtifactLost, CannotFetch
from agon.site.celery import app
from agon.site.core import disk_space
from agon.site.core.db.leases import internal_error, renewing
from agon.site.core.queue.notify import notify_now
from agon.site.fleet import environments, pausing
from agon.site.matches import home_asks, leases, results
from agon.site.matches.models import Match, Seat
from agon.site.matches.results import Ended
from agon.site.workers.alive import doing
from agon.site.workers.broadcasting import broadcasting
from agon.site.workers.home_seats import players_of
from agon.site.workers.pace import SPAN, Pace
from agon.site.workers.worker import PASS_ON, SLICE, worker
from games.core.reason import Reason
from sandbox.api import LanguageMissing, SandboxError

INTERACTIVE, AT_HOME = (Match.Queue.INTERACTIVE,), (Match.Queue.HOME,)
ALL = (Match.Queue.INTERACTIVE, Match.Queue.BULK)
QUEUES: Mapping[str, Sequence[str]] = {
    Match.Queue.BULK: ALL,
    Match.Queue.INTERACTIVE: INTERACTIVE,
    Match.Queue.HOME: AT_HOME,
}
CHECK_EVERY = 0.25  # seconds
OVERDUE = 2 * SPAN

pace = Pace()  # of this worker

log = logging.getLogger(__name__)


@app.task(name="agon.site.workers.tasks.play")
def play_waiting(queue: str) -> None:
    """Play waiting matches for SLICE seconds; then send a notice for the rest.

    queue: which matches, a Match.Queue; with "bulk" also interactive ones, which come first; with "home" no
    others, for as long as bots at home take. A worker on
    which a match failed backs off, so that a broken machine does not use up the attempts of many matches.
    """
    if worker.is_backing_off() or disk_space.shortage():
        return
    if worker.must_not_play():
        time.sleep(PASS_ON)
        notify_now(queue)
        return
    try:
        worker.sandbox()
        environment = environments.store(worker.environment())
    except SandboxError as error:
        log.error("this worker cannot play: %s", error)
        return
    with worker.using_boxes():
        if not _play_slice(QUEUES[queue], environment):
            notify_now(queue)


def _play_slice(queues: Sequence[str], environment: str) -> bool:
    """Play for SLICE seconds; False if matches may still be waiting."""
    deadline = time.monotonic() + SLICE
    while not disk_space.shortage() and (matches := _claim(queues)):
        if not play(*matches, environment=environment):
            worker.back_off()
            return True
        if time.monotonic() > deadline:
            return False
    return True


def _claim(queues: Sequence[str]) -> list[Match]:
    return leases.claim_many(worker.name, queues, pace.matches, worker.lacking())


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


def _play_each(batch: "Batch", seats: dict[int, list[Seat]]) -> bool:
    while match := batch.next():
        try:
            played = _play_match(match, seats[match.pk])
        except PlatformFailure as error:
            if isinstance(error.__cause__, LanguageMissing):  # no bot has begun
                leases.hand_back([match])
                worker.lack(error.__cause__.language, str(error))
                continue
            leases.fail(
                match, Reason("text", text=str(error)), error.used, kind=error.kind, asked=error.asked
            )
            return False
        except CannotFetch as error:  # no other match could be played here either, and this was not begun
            leases.hand_back([match])
            pausing.pause(worker.name, str(error))
            return False
        except ArtifactLost as error:
            leases.fail(match, Reason("text", text=str(error)), kind=FailureKind.ARTIFACT)
            return False
        except SandboxError as error:
            leases.fail(match, Reason("text", text=str(error)), kind=FailureKind.SANDBOX)
            return False
        except Exception as error:  # a bug of the game's referee or of ours, never the bots' fault
            log.exception("match %s could not be played", match.pk)
            leases.fail(match, internal_error(error))
            return False
        pace.note(played.seconds)
        doing.count(1)
        batch.add_result(match, played)
    return True


def _seats_of(matches: Sequence[Match]) -> dict[int, list[Seat]]:
    seats: dict[int, list[Seat]] = {match.pk: [] for match in matches}
    rows = Seat.objects.filter(match__in=matches).select_related("submission")
    for seat in rows.order_by("match", "number"):
        seats[seat.match_id].append(seat)
    return seats


def _play_match(match: Match, seats: Sequence[Seat]) -> Played:
    pool = worker.pool()
    try:
        players = players_of(match, seats)
        seats_on_trial = frozenset(seat.number for seat in seats if seat.submission_id == match.qualifies_id)
        info = match.competition.info
        with broadcasting(match) as broadcast:
            return arena.play(info, players, match.seed, pool, seats_on_trial, broadcast.on_begin)
    finally:
        artifacts.release(spare=pool.digests)
        if match.queue == Match.Queue.HOME:
            home_asks.end(match)


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
                self.is_stored &= all([_store_alone(result) for result in ended])

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
        leases.fail(ended.match, internal_error(error), kind=FailureKind.RESULT)
        return False
    return True
