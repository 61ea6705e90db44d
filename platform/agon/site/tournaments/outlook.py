"""What a tournament takes before it begins, and when one that runs will be over.

Nothing is said that was not measured. Before: the mean time of the latest matches of the competition, times
the matches that those who would enter now play, divided by the workers that have played lately, if nothing
else is played meanwhile. While it runs: how fast its own matches ended, all and the latest ones, whatever
else the workers did.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Avg, Count, Max, Min
from django.utils import timezone

from agon.contest import formats
from agon.contest.formats import BadFormat
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.cached import cached
from agon.site.matches.models import Match
from agon.site.matches.worker_names import has_a_core, place_of
from agon.site.tournaments import deadlines, services
from agon.site.tournaments.cached import cached as cached_of
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament, Progress
from agon.site.tournaments.states import State
from agon.statistics.remaining import Pace, Remaining, remaining

SAMPLE = 100  # latest matches of a competition, whose mean time is taken
LATELY = timedelta(hours=1)  # in which a worker that played something counts as one
RECENT = 20  # latest results of a running tournament, whose pace is taken besides that of all
SHOWN = 60  # of those that would enter now
FRESH = 5.0  # seconds
QUIET = timedelta(minutes=1)  # without any result, after which nothing is said


class Cost(NamedTuple):
    """What a draft takes if it starts now.

    entrants: how many enter. matches: how many are played, or at most. likely: how many are likely, where
    `matches` is the most. rounds: how many are played. mean: seconds of a match; None if none was measured.
    workers: that have played lately.
    """

    entrants: int
    matches: int
    likely: int | None
    rounds: int
    mean: float | None
    workers: int

    @property
    def matches_now(self) -> int:
        """How many matches are played, or are likely to be."""
        return self.matches if self.likely is None else self.likely

    @property
    def worker_seconds(self) -> float | None:
        """The time of one worker."""
        return None if self.mean is None else self.mean * self.matches_now

    @property
    def seconds(self) -> float | None:
        """The time on all workers, if they play nothing else. None without a measurement."""
        if self.worker_seconds is None or self.mean is None or not self.workers:
            return None
        return max(self.mean, self.worker_seconds / self.workers)


class End(NamedTuple):
    """Between which moments a running tournament will be over."""

    earliest: datetime
    latest: datetime


class Entering(NamedTuple):
    """The bots that enter if a draft starts now: their number, and the first SHOWN in the order of entry."""

    number: int
    first: list[Bot]


def entrants_now(tournament: Tournament) -> Entering:
    """Who enters if a draft starts now; cached for a moment if it is everyone who is active."""
    if tournament.field == Tournament.Field.CHOSEN:
        chosen = tournament.entrants.select_related("bot")
        return Entering(chosen.count(), [entrant.bot for entrant in chosen[:SHOWN]])
    key = f"field-{tournament.competition_id}-{tournament.field}"
    return cached(key, lambda: _active(tournament), FRESH)


def cost(tournament: Tournament, entrants: int) -> Cost | None:
    """What a draft takes if so many enter; None if it could not start with them."""
    rounds, seats, settings = tournament.rounds, tournament.seats, tournament.format_settings
    if tournament.starts_at is not None:
        settings = services.fitted_settings(tournament, entrants)
    try:
        if tournament.rounds_by_field:
            rounds = services.proposed_rounds(tournament.format, entrants, seats, settings)
        shape = tournament.format, entrants, seats, rounds, settings
        matches, likely = formats.count(*shape), formats.likely_count(*shape)
    except (BadFormat, BadTournament):  # too few entrants, as yet
        return None
    mean = mean_seconds(tournament.competition)
    return Cost(entrants, matches, likely, rounds, mean, cached("workers-lately", _workers, FRESH))


def mean_seconds(competition: Competition) -> float | None:
    """The mean time of the latest matches of a competition, without bots at home; None without any."""
    finished = Match.objects.filter(competition=competition, state=Match.State.FINISHED)
    latest = finished.exclude(queue=Match.Queue.HOME).order_by("-pk")[:SAMPLE]
    sample = Match.objects.filter(pk__in=list(latest.values_list("pk", flat=True)))
    mean: float | None = sample.aggregate(mean=Avg("seconds"))["mean"]
    return mean


def end(tournament: Tournament, progress: Progress) -> End | None:
    """When a running tournament will be over, cached for a moment; None if that cannot be said."""
    return cached_of(tournament, "end", lambda: _end(tournament, progress))


def _end(tournament: Tournament, progress: Progress) -> End | None:
    now = timezone.now()
    remaining = _remaining(tournament, progress, now)
    if remaining is None:
        return None
    return End(now + timedelta(seconds=remaining.least), now + timedelta(seconds=remaining.most))


def _remaining(tournament: Tournament, progress: Progress, now: datetime) -> Remaining | None:
    if tournament.state != State.RUNNING or tournament.started is None:
        return None
    # A pause says nothing about the pace.
    resumed = tournament.acts.filter(verb__in=(Verb.RESUME, Verb.REOPEN)).aggregate(last=Max("at"))["last"]
    ended = Match.objects.filter(
        tournament=tournament,
        kind=Match.Kind.TOURNAMENT,  # for an index
        state=Match.State.FINISHED,
        finished_at__gt=max(tournament.started, resumed or tournament.started),
    )
    times = ended.order_by("-finished_at").values_list("finished_at", flat=True)[: RECENT + 1]
    latest = [time for time in times if time is not None]
    if not latest or (not progress.running and latest[0] < now - QUIET):
        return None
    every = ended.aggregate(done=Count("pk"), first=Min("finished_at"))
    paces = [Pace(every["done"] - 1, (now - every["first"]).total_seconds())]
    if len(latest) > RECENT:
        paces.append(Pace(RECENT, (now - latest[-1]).total_seconds()))
    left = max(progress.running, progress.total - progress.done)
    most = tournament.total - progress.done if progress.is_estimate else left
    return remaining(paces, left, most)


def _active(tournament: Tournament) -> Entering:
    bots = deadlines.field_of(tournament)
    return Entering(len(bots), bots[:SHOWN])


def _workers() -> int:
    """How many workers have played a match lately."""
    finished = Match.objects.filter(state=Match.State.FINISHED).exclude(queue=Match.Queue.HOME)
    latest = finished.order_by("-pk")[:SAMPLE]
    lately = timezone.now() - LATELY
    rows = latest.values_list("worker", "finished_at")
    playing = {worker for worker, ended in rows if worker and ended is not None and ended > lately}
    # A worker with a core of its own is the same one after a restart.
    return len({place if has_a_core(place := place_of(worker)) else worker for worker in playing})
