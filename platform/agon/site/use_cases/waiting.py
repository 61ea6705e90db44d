"""Shows users who wait their place in the queue, an estimate of the time, and the reason.

- Places follow the order in which workers take things: `agon.site.matches.queueing`,
  `build_order.py`, `agon.site.workers.trying`. They hold for this moment: a later arrival may
  overtake, because its author has used less worker time.
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

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from agon.site.bots import languages
from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.core import disk_space
from agon.site.core.cached import cached
from agon.site.matches import queueing, shares
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.matches.usage import Usage, current_usage
from agon.site.trials.models import Trial
from agon.site.trials.states import State as TrialState
from agon.site.use_cases import build_order
from games.core.broken import working_games

FRESH = 1.0  # seconds
LATEST_PLAYED = 50  # matches or trials that an estimate is based on
QUIET = timedelta(minutes=1)  # without any match, after which no worker seems to be running


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
    VERSION = gettext_noop(
        "The tournament began with another version of its game. It continues when this site has that version "
        "again; an organizer can cancel it."
    )
    LANGUAGE = gettext_noop(
        "One of its bots is in a language that does not work on this site at the moment. It is played once "
        "that works again."
    )
    TIME = gettext_noop("One of its bots, or an author, has used up the worker time of this hour.")
    ON_TRIAL = gettext_noop("The submissions of an author play their qualification matches one at a time.")
    ON_DEMAND = gettext_noop("Comparisons and challenges are played one match at a time.")
    HOME = gettext_noop("It is played as soon as its bots at home are connected, one match at a time.")
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
        """A text that changes whenever the page has to change, but not when only the estimate does."""
        return f"{self.ahead}-{self.why.name}"


class _MatchTime(NamedTuple):
    """The duration of a match, and when it ended."""

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
    """The place of a match in its queue; None if it is not queued."""
    if match.state != State.QUEUED:
        return None
    if stopped := _stopped(match.competition.game):
        return stopped
    if match.queue == Match.Queue.HOME:
        return Place(None, None, Why.HOME)
    if shares.is_of_another_version(match):
        return Place(None, None, Why.VERSION)
    if not all(map(languages.works, match.seats.values_list("submission__language", flat=True))):
        return Place(None, None, Why.LANGUAGE)
    match_queue: _MatchQueue = cached(f"match-queue-{match.queue}", partial(_match_queue, match.queue), FRESH)
    if match.pk in match_queue.held_up:
        return Place(None, None, match_queue.held_up[match.pk])
    queued = Match.objects.filter(state=State.QUEUED, queue=match.queue)
    if match.has_share:
        contests = shares.ahead_of(match, queued)
        others = sum(pk < match.pk for pk in match_queue.order)
    else:
        contests = queued.filter(shares.HAVE_SHARES, pk__lt=match.pk).count()
        others = next(
            (place for place, pk in enumerate(match_queue.order) if pk == match.pk), len(match_queue.order)
        )
    why = Why.BUSY if match_queue.free_in else Why.NO_WORKER if match_queue.is_quiet else Why.SOON
    return _place(match_queue.first + contests + others, match_queue.seconds, match_queue.free_in, why)


def of_matches(matches: Collection[Match]) -> Place | None:
    """The place of the first of these matches; None if one is being played, or none is queued."""
    if any(match.state == State.RUNNING for match in matches):
        return None
    queued = [match for match in matches if match.state == State.QUEUED]
    return of_match(min(queued, key=lambda match: match.pk)) if queued else None


def of_submission(submission: Submission, matches: Collection[Match] = ()) -> Place | None:
    """The place of a submission that waits for its build or, with one of `matches`, for its qualification."""
    if submission.state != SubmissionState.RECEIVED:
        return of_matches(matches)
    if stopped := _stopped(submission.bot.competition.game):
        return stopped
    if submission.lease_until is not None and submission.lease_until > timezone.now():
        return Place(None, (submission.lease_until - timezone.now()).total_seconds(), Why.AGAIN)
    builds = list(build_order.waiting().values_list("pk", flat=True))
    if submission.pk not in builds:
        still_waits = Submission.objects.filter(pk=submission.pk, state=SubmissionState.RECEIVED).exists()
        return Place(None, None, Why.TIME) if still_waits else None  # else a builder has just taken it
    builders = Submission.objects.filter(state=SubmissionState.BUILDING).count()
    why = Why.BUSY if builders else Why.SOON
    seconds = build_order.usual_seconds()
    return _place(builds.index(submission.pk), seconds, [seconds or 0.0] * builders, why)


def of_trial(trial: Trial) -> Place | None:
    """The place of a trial in its queue; None if it is not queued."""
    if trial.state != TrialState.QUEUED:
        return None
    if stopped := _stopped(trial.competition.game):
        return stopped
    first = Q(number__lt=trial.number) | Q(number=trial.number, pk__lt=trial.pk)
    ahead = _competitions(Trial.objects.filter(first, state=TrialState.QUEUED))
    running = _competitions(Trial.objects.filter(state=TrialState.RUNNING))
    latest = Trial.objects.filter(state=TrialState.FINISHED).order_by("-pk")
    used = list(latest.values_list("competition", "used")[:LATEST_PLAYED])
    why = Why.BUSY if ahead or running else Why.SOON
    if not used:
        return Place(len(ahead), None, why)
    usual = fmean(seconds for _, seconds in used)
    usual_in = {
        competition: fmean(seconds for place, seconds in used if place == competition)
        for competition in {place for place, _ in used}
    }
    of_ahead, of_running = ([usual_in.get(place, usual) for place in group] for group in (ahead, running))
    return _place(len(ahead), fmean(of_ahead or [usual]), sorted(of_running), why)


def _competitions(trials: QuerySet[Trial]) -> list[int]:
    return list(trials.order_by().values_list("competition", flat=True))


def _stopped(game: str) -> Place | None:
    """The reason that holds up everything of this game, as a place; None if nothing does."""
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
    waiting, usage, playing = queueing.waiting(queue), current_usage(), queueing.playing()
    playable = queueing.sorted_fairly(waiting, usage, playing)
    free = {free_match.match for free_match in playable}
    held_up = {held.match: _held_up_by(held, usage, playing) for held in waiting if held.match not in free}
    latest = _latest()
    return _MatchQueue(
        first=first,
        order=[free_match.match for free_match in playable],
        held_up=held_up,
        seconds=fmean(match_time.seconds for match_time in latest) if latest else None,
        free_in=_free_in(latest),
        is_quiet=not any(match_time.ended > timezone.now() - QUIET for match_time in latest),
    )


def _latest() -> list[_MatchTime]:
    """The times of the last matches that were played."""
    ended = Match.objects.filter(state=State.FINISHED).exclude(queue=Match.Queue.HOME).order_by("-pk")
    rows = ended.values_list("competition", "seconds", "finished_at")[:LATEST_PLAYED]
    return [
        _MatchTime(competition, seconds, ended_at)
        for competition, seconds, ended_at in rows
        if seconds is not None and ended_at is not None
    ]


def _free_in(latest: Collection[_MatchTime]) -> list[float]:
    """For how many more seconds each playing worker is busy, ascending: an estimate.

    latest: the times of the last matches.
    """
    left: dict[str, float] = {}
    running = Match.objects.filter(state=State.RUNNING).exclude(queue=Match.Queue.HOME)
    for worker, competition, started in running.values_list("worker", "competition", "started"):
        elapsed = (timezone.now() - started).total_seconds() if started else 0.0
        usual = fmean(
            [match_time.seconds for match_time in latest if match_time.competition == competition] or [0.0]
        )
        left[worker] = max(left.get(worker, 0.0), usual - elapsed if elapsed < usual else elapsed)
    return sorted(left.values())


def _held_up_by(waiting: queueing.Waiting, usage: Usage, playing: queueing.Playing) -> Why:
    if queueing.is_held_up(waiting, usage):
        return Why.TIME
    return Why.ON_TRIAL if waiting.author_on_trial in playing.authors_on_trial else Why.ON_DEMAND
