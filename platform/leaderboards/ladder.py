"""The ladder: rated matches for as long as there is something to learn from them.

A submission is uncertain until its rating's deviation is at most SURE, or it has played MOST rated matches.
While one is, a few matches are kept queued: each for the uncertain submission that has played least, against
opponents of other authors, drawn from those near to it in rating, now and then from far away. When none is,
nothing is queued and the machine is idle; a submission that becomes active starts it again.
"""

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count

from agon import apart
from bots.models import Submission
from bots.states import State as SubmissionState
from competitions.models import Competition
from leaderboards.ratings import lock
from matches import queueing
from matches.models import Match, Seat
from matches.states import State

SURE = 2.5  # deviation; bots whose skills differ as much as 2 in 3 games show are then 2 deviations apart
MOST = 300  # rated matches of one submission
AHEAD = 8  # matches queued or running in a competition
NEAR = 25.0 / 3.0  # difference in rating within which opponents are mostly drawn
FAR = 0.05  # how likely, beside the nearest, the farthest is drawn


@dataclass
class Contender:
    """An active submission as the ladder sees it; `played` counts queued and void matches, too.

    author: whose it is, None for the house's.
    """

    submission: Submission
    mu: float
    sigma: float
    played: int
    author: int | None = None

    @property
    def uncertain(self) -> bool:
        return self.sigma > SURE and self.played < MOST


@transaction.atomic
def top_up(competition: Competition) -> int:
    """Queue what is missing from AHEAD rated matches, if any are worth playing; how many were queued."""
    if not competition.is_open:
        return 0
    going_on = _going_on(competition).count()
    if going_on > AHEAD // 2:
        return 0
    contenders = _contenders(competition)
    if not any(each.uncertain for each in contenders):
        return 0
    lock(competition)  # two workers that top up at once do it one after the other
    wanted = AHEAD - _going_on(competition).count()
    contenders = _contenders(competition)
    seatings = _draw(contenders, competition.info.min_seats, wanted, random.SystemRandom())
    for seats in seatings:
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    return len(seatings)


@transaction.atomic
def first_match(submission: Submission) -> Match | None:
    """Queue a submission's first rated match, ahead of bulk work; None while opponents are too few."""
    competition = submission.bot.competition
    contenders = _contenders(competition)
    own = next(each for each in contenders if each.submission.pk == submission.pk)
    seats = competition.info.min_seats
    if len(contenders) < seats:
        return None
    seating = seat(own, contenders, seats, random.SystemRandom())
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seating)


@transaction.atomic
def play_without(competition: Competition, bot: int) -> Match | None:
    """Queue a rated match of other bots (bots.voids says what for); None where they are too few."""
    if not competition.is_open:
        return None
    lock(competition)
    others = [each for each in _contenders(competition) if each.submission.bot_id != bot]
    seats = competition.info.min_seats
    if len(others) < seats:
        return None
    draw = random.SystemRandom()
    seating = seat(draw.choice(others), others, seats, draw)
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seating)


def seat(
    first: Contender, contenders: Collection[Contender], seats: int, draw: random.Random
) -> list[Submission]:
    """A seating of `first` with opponents that are likely to be near it, in drawn order.

    Bots of one author sit at a table only where there are too few others: they could play into each other's
    hands, or keep a worker busy together for as long as a game can last.
    """
    others = [each for each in contenders if each is not first]
    chosen = [first]
    while len(chosen) < seats:
        authors = {each.author for each in chosen}
        strangers = [each for each in others if each.author is None or each.author not in authors] or others
        weights = [FAR + math.exp(-(((each.mu - first.mu) / NEAR) ** 2)) for each in strangers]
        [drawn] = draw.choices(strangers, weights)
        others.remove(drawn)
        chosen.append(drawn)
    draw.shuffle(chosen)
    return [each.submission for each in chosen]


def _draw(
    contenders: Sequence[Contender], seats: int, wanted: int, draw: random.Random
) -> list[list[Submission]]:
    seatings: list[list[Submission]] = []
    if len(contenders) < seats:
        return seatings
    by_submission = {each.submission.pk: each for each in contenders}
    while len(seatings) < wanted:
        uncertain = [each for each in contenders if each.uncertain]
        if not uncertain:
            break
        first = min(uncertain, key=lambda each: (each.played, draw.random()))
        seatings.append(seat(first, contenders, seats, draw))
        for submission in seatings[-1]:
            by_submission[submission.pk].played += 1
    return seatings


def _contenders(competition: Competition) -> list[Contender]:
    unplayed = _unplayed(competition)
    active = Submission.objects.filter(
        bot__competition=competition, state=SubmissionState.ACTIVE, rating__isnull=False
    ).select_related("rating", "bot")
    return [
        Contender(
            submission=each,
            mu=each.rating.mu,
            sigma=each.rating.sigma,
            played=each.rating.played + unplayed.get(each.pk, 0),
            author=None if each.bot.house else each.bot.owner_id,
        )
        for each in active
    ]


def _unplayed(competition: Competition) -> dict[int, int]:
    """Rated matches that have changed no rating, by submission.

    Void ones too, so that a bot that the platform cannot play is not tried for ever.
    """
    seats = Seat.objects.filter(
        match__competition=competition,
        match__kind=Match.Kind.LADDER,
        match__state__in=[State.QUEUED, State.RUNNING, State.VOID],
    )
    return dict(seats.values_list("submission").annotate(Count("pk")))


def _going_on(competition: Competition):
    return Match.objects.filter(
        competition=competition, kind=Match.Kind.LADDER, state__in=[State.QUEUED, State.RUNNING]
    )


def tick() -> None:
    """What the sweeper does for the ladders: see that those which have something to learn are playing."""
    apart.each(Competition.objects.filter(state=Competition.State.OPEN), top_up)
