"""What pages show to users who wait: the place in the queue, an estimate, and the reason.

- Places follow the order in which workers take things: `matches.order`, `pipeline.building`,
  `pipeline.trying`. They hold for this moment: a later arrival may overtake, because its author has used less
  worker time.
- Estimates assume that things ahead take as long as the latest of their kind took, on the workers that are
  playing now. A match that is being played takes as long as is usual in its competition or, if it has already
  taken longer, as long again. Without recent matches, builds or trials there is no estimate.

What is the same for all readers is computed at most once in FRESH seconds.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from statistics import fmean
from typing import NamedTuple

from django.db.models import Avg
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from agon import disk_space
from agon.recent import recent
from bots.models import Submission
from bots.states import State as SubmissionState
from games.core.broken import working_games
from matches import order
from matches.models import Match
from matches.states import State
from matches.usage import Used, used
from pipeline import building
from trials.models import Trial
from trials.states import State as TrialState

FRESH = 1.0  # seconds
LATEST = 50  # matches or trials that an estimate is made of
QUIET = timedelta(minutes=1)  # without any match: then no worker seems to be there


class Why(StrEnum):
    """Why something waits, as the page says it."""

    BUSY = gettext_noop("All workers are busy.")
    SOON = gettext_noop("A worker takes it in a moment.")
    NO_WORKER = gettext_noop(
        "No worker has played anything for a minute. This continues when one is available again."
    )
    DISK = gettext_noop(
        "The disk of this site is nearly full. Nothing is built or played until there is room."
    )
    GAME = gettext_noop("The game does not work on this site at the moment.")
    TIME = gettext_noop("One of its bots, or an author, has used up the worker time of this hour.")
    ON_TRIAL = gettext_noop("The submissions of an author play their qualification matches one at a time.")
    COMPARISON = gettext_noop("Comparisons are played one match at a time.")
    AGAIN = gettext_noop("The platform failed to build it, and tries again after a pause.")


class Place(NamedTuple):
    """A place in a queue.

    ahead: how many come first; None if something else than the queue holds it up.
    seconds: until its turn, an estimate; None if there is none.
    why: what it is waiting for.
    """

    ahead: int | None
    seconds: float | None
    why: Why

    @property
    def number(self) -> int:
        """The place, counted from 1."""
        return (self.ahead or 0) + 1

    @property
    def sentence(self) -> str:
        """Why it waits, in the reader's language."""
        return _(self.why)

    @property
    def stamp(self) -> str:
        """Changes whenever the page has to change; not when only the estimate does."""
        return f"{self.ahead}-{self.why.name}"


class _Took(NamedTuple):
    """How long a match took, and when it ended."""

    competition: int
    seconds: float
    ended: datetime


@dataclass(frozen=True)
class _MatchQueue:
    """A queue of matches.

    first: how many matches of another queue come before all of it.
    order: the matches outside of tournaments that can be played, in the order in which they will be.
    held_up: those that cannot be played now, and why.
    seconds: the mean duration of a match; None if unknown.
    free_in: the seconds after which each worker that is playing is free, ascending.
    is_quiet: whether no match has ended for QUIET.
    """

    first: int
    order: Collection[int]
    held_up: Mapping[int, Why]
    seconds: float | None
    free_in: Sequence[float]
    is_quiet: bool


def of_match(match: Match) -> Place | None:
    """Where a match waits; None if it does not."""
    if match.state != State.QUEUED:
        return None
    if stopped := _stopped(match.competition.game):
        return stopped
    line: _MatchQueue = recent(f"match-queue-{match.queue}", partial(_match_queue, match.queue), FRESH)
    if match.pk in line.held_up:
        return Place(None, None, line.held_up[match.pk])
    queued = Match.objects.filter(state=State.QUEUED, queue=match.queue, pk__lt=match.pk)
    tournaments = queued.filter(tournament__isnull=False).count()
    if match.tournament_id is not None:
        others = sum(pk < match.pk for pk in line.order)
    else:
        others = next((place for place, pk in enumerate(line.order) if pk == match.pk), len(line.order))
    why = Why.BUSY if line.free_in else Why.NO_WORKER if line.is_quiet else Why.SOON
    return _place(line.first + tournaments + others, line.seconds, line.free_in, why)


def of_matches(matches: Collection[Match]) -> Place | None:
    """Where the first of these matches waits; None if one of them is played, or none waits."""
    if any(match.state == State.RUNNING for match in matches):
        return None
    queued = [match for match in matches if match.state == State.QUEUED]
    return of_match(min(queued, key=lambda match: match.pk)) if queued else None


def of_submission(submission: Submission, matches: Collection[Match] = ()) -> Place | None:
    """Where a submission waits for its build or, with one of `matches`, for its qualification."""
    if submission.state != SubmissionState.RECEIVED:
        return of_matches(matches)
    if stopped := _stopped(submission.bot.competition.game):
        return stopped
    if submission.lease_until is not None and submission.lease_until > timezone.now():
        return Place(None, (submission.lease_until - timezone.now()).total_seconds(), Why.AGAIN)
    builds = list(building.waiting().values_list("pk", flat=True))
    if submission.pk not in builds:
        return Place(None, None, Why.TIME)
    builders = Submission.objects.filter(state=SubmissionState.BUILDING).count()
    why = Why.BUSY if builders else Why.SOON
    seconds = building.usual_seconds()
    return _place(builds.index(submission.pk), seconds, [seconds or 0.0] * builders, why)


def of_trial(trial: Trial) -> Place | None:
    """Where a trial waits; None if it does not."""
    if trial.state != TrialState.QUEUED:
        return None
    if stopped := _stopped(trial.competition.game):
        return stopped
    ahead = Trial.objects.filter(state=TrialState.QUEUED, pk__lt=trial.pk).count()
    running = Trial.objects.filter(state=TrialState.RUNNING).count()
    latest = Trial.objects.filter(state=TrialState.FINISHED).order_by("-pk")[:LATEST]
    seconds = latest.aggregate(mean=Avg("used"))["mean"]
    return _place(ahead, seconds, [seconds or 0.0] * running, Why.BUSY if ahead or running else Why.SOON)


def _stopped(game: str) -> Place | None:
    """What holds up everything of this game, if anything does."""
    if disk_space.shortage():
        return Place(None, None, Why.DISK)
    works = any(info.slug == game for info in working_games())
    return None if works else Place(None, None, Why.GAME)


def _place(ahead: int, seconds: float | None, free_in: Sequence[float], why: Why) -> Place:
    """seconds: how long each of those ahead takes. free_in: as in _MatchQueue."""
    if seconds is None or why == Why.NO_WORKER:
        return Place(ahead, None, why)
    rounds, place = divmod(ahead, len(free_in) or 1)
    return Place(ahead, rounds * seconds + (free_in[place] if free_in else 0.0), why)


def _match_queue(queue: str) -> _MatchQueue:
    first = 0
    if queue == Match.Queue.BULK:
        first = Match.objects.filter(state=State.QUEUED, queue=Match.Queue.INTERACTIVE).count()
    waiting, usage, playing = order.waiting(queue), used(), order.playing()
    sorted_ = order.sorted_fairly(waiting, usage, playing)
    free = {each.match for each in sorted_}
    held_up = {each.match: _held_up_by(each, usage, playing) for each in waiting if each.match not in free}
    took = _latest()
    return _MatchQueue(
        first=first,
        order=[each.match for each in sorted_],
        held_up=held_up,
        seconds=fmean(each.seconds for each in took) if took else None,
        free_in=_free_in(took),
        is_quiet=not any(each.ended > timezone.now() - QUIET for each in took),
    )


def _latest() -> list[_Took]:
    """The last matches that were played."""
    ended = Match.objects.filter(state=State.FINISHED).order_by("-pk")
    rows = ended.values_list("competition", "seconds", "finished_at")[:LATEST]
    return [
        _Took(competition, seconds, ended_at)
        for competition, seconds, ended_at in rows
        if seconds is not None and ended_at is not None
    ]


def _free_in(took: Collection[_Took]) -> list[float]:
    """For how many more seconds each playing worker is busy, ascending: an estimate.

    took: the last matches.
    """
    left: dict[str, float] = {}
    running = Match.objects.filter(state=State.RUNNING)
    for worker, competition, started in running.values_list("worker", "competition", "started"):
        elapsed = (timezone.now() - started).total_seconds() if started else 0.0
        usual = fmean([each.seconds for each in took if each.competition == competition] or [0.0])
        left[worker] = max(left.get(worker, 0.0), usual - elapsed if elapsed < usual else elapsed)
    return sorted(left.values())


def _held_up_by(waiting: order.Waiting, usage: Used, playing: order.Playing) -> Why:
    if order.held_up(waiting, usage):
        return Why.TIME
    return Why.ON_TRIAL if waiting.tries in playing.tried else Why.COMPARISON
