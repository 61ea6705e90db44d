"""The ladder: plays rated matches as long as they can teach something.

A submission is uncertain until its rating's deviation is at most SURE, or it played MOST rated matches.
While one is uncertain, a few matches are kept queued: each for the uncertain submission that played
least, against opponents of other authors, drawn from those near it in rating, sometimes from far away.
When none is uncertain, nothing is queued and the machine is idle. A submission that becomes active starts
the ladder again.
"""

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count

from agon.isolation import for_each_isolated
from bots.models import Submission
from bots.states import State as SubmissionState
from competitions.models import Competition
from leaderboards.ratings import lock
from matches import order, queueing, usage
from matches.models import Match, Seat
from matches.states import State

SURE = 2.5  # deviation; bots whose skills differ as much as 2 in 3 games show are then 2 deviations apart
MOST = 300  # rated matches of one submission
AHEAD = 8  # matches queued or running in a competition
NEAR = 25.0 / 3.0  # difference in rating within which opponents are mostly drawn
LEAD = 2  # steps of worker time by which an author is ahead of the others, and then behind in the queue
MOST_EXCESS = 100.0  # steps beyond the least load that still make a difference
FAR = 0.05  # how likely, beside the nearest, the farthest is drawn


@dataclass
class Contender:
    """An active submission as the ladder sees it; `played` includes queued and void matches.

    author: None for the house. steps: the worker time that the author's bots used recently (matches.usage).
    pending: the author's queued and running matches; each counts as a step.
    """

    submission: Submission
    mu: float
    sigma: float
    played: int
    author: int | None = None
    steps: float = 0.0
    pending: int = 0

    @property
    def load(self) -> float:
        return self.steps + self.pending

    @property
    def uncertain(self) -> bool:
        return self.sigma > SURE and self.played < MOST


class Room(NamedTuple):
    """How many matches may be queued: in all, and while their authors' steps are below `behind`.

    The queued matches of an author with many steps wait behind the others', and must not keep those out.
    """

    every: int
    in_turn: int
    behind: float


@transaction.atomic
def top_up(competition: Competition) -> int:
    """Queue what is missing from AHEAD rated matches, if any are worth playing; returns how many."""
    if not competition.is_open:
        return 0
    spent = usage.used()
    in_turn = [each for each in _going_on(competition, spent) if order.steps(each, spent) < LEAD]
    if len(in_turn) > AHEAD // 2:
        return 0
    if not any(each.uncertain for each in _contenders(competition, spent)):
        return 0
    lock(competition)  # two workers top up one after the other
    contenders = _contenders(competition, spent)
    behind = _least(contenders) + LEAD
    room = Room(
        every=AHEAD - len(going_on := _going_on(competition, spent)),
        in_turn=AHEAD - sum(order.steps(each, spent) < behind for each in going_on),
        behind=behind,
    )
    seatings = _draw(contenders, competition.info.min_seats, room, random.SystemRandom())
    for seats in seatings:
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    return len(seatings)


@transaction.atomic
def first_match(submission: Submission) -> Match | None:
    """Queue a submission's first rated match, ahead of bulk work; None if there are too few opponents."""
    competition = submission.bot.competition
    contenders = _contenders(competition, usage.used(), submission)
    own = next(each for each in contenders if each.submission.pk == submission.pk)
    seats = competition.info.min_seats
    if len(contenders) < seats:
        return None
    seating = seat(own, contenders, seats, random.SystemRandom())
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seating)


@transaction.atomic
def play_without(competition: Competition, bot: int) -> Match | None:
    """Queue a rated match without this bot (for pipeline.void_rule); None if there are too few others."""
    if not competition.is_open:
        return None
    lock(competition)
    others = [each for each in _contenders(competition, usage.used()) if each.submission.bot_id != bot]
    seats = competition.info.min_seats
    if len(others) < seats:
        return None
    draw = random.SystemRandom()
    seating = seat(draw.choice(others), others, seats, draw)
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seating)


def seat(
    first: Contender, contenders: Collection[Contender], seats: int, draw: random.Random
) -> list[Submission]:
    """Draw a seating of `first` with opponents that are likely to be near it.

    Bots of one author share a match only if there are too few others: they could help each other, or keep a
    worker
    busy together for as long as a game can last. All bots of one author together are drawn as often as one
    bot, and
    less often the more load the author has beyond the others'.
    """
    least = min((each.load for each in contenders if each.author is not None), default=0.0)
    bots = Counter(each.author for each in contenders)
    others = [each for each in contenders if each is not first]
    chosen = [first]
    while len(chosen) < seats:
        authors = {each.author for each in chosen}
        strangers = [each for each in others if each.author is None or each.author not in authors] or others
        weights = [
            (FAR + math.exp(-(((each.mu - first.mu) / NEAR) ** 2)))
            * (
                1.0
                if each.author is None
                else 2.0 ** -min(each.load - least, MOST_EXCESS) / bots[each.author]
            )
            for each in strangers
        ]
        [drawn] = draw.choices(strangers, weights)
        others.remove(drawn)
        chosen.append(drawn)
    draw.shuffle(chosen)
    return [each.submission for each in chosen]


def _draw(
    contenders: Sequence[Contender], seats: int, room: Room, draw: random.Random
) -> list[list[Submission]]:
    seatings: list[list[Submission]] = []
    if len(contenders) < seats:
        return seatings
    by_submission = {each.submission.pk: each for each in contenders}
    while uncertain := [each for each in contenders if each.uncertain]:
        first = min(uncertain, key=lambda each: (int(each.load), each.played, draw.random()))
        if len(seatings) >= (room.in_turn if first.steps < room.behind else room.every):
            break
        seatings.append(seat(first, contenders, seats, draw))
        seated = [by_submission[submission.pk] for submission in seatings[-1]]
        for each in seated:
            each.played += 1
        authors = {each.author for each in seated}
        for each in contenders:
            each.pending += each.author in authors
    return seatings


def _least(contenders: Collection[Contender]) -> float:
    return min((each.steps for each in contenders if each.author is not None), default=0.0)


def _authors(bots: Iterable[tuple[int, int | None]]) -> set[int | None]:
    return {author for _, author in bots} or {None}


def _contenders(
    competition: Competition, spent: usage.Used, newcomer: Submission | None = None
) -> list[Contender]:
    """All that may play now, and `newcomer` in any case."""
    unplayed = _unplayed(competition)
    going_on: Counter[int | None] = Counter(
        author for each in _going_on(competition, spent) for author in _authors(each.bots)
    )
    active = Submission.objects.filter(
        bot__competition=competition, state=SubmissionState.ACTIVE, rating__isnull=False
    ).select_related("rating", "bot")
    authors = {each.pk: None if each.bot.house else each.bot.owner_id for each in active}
    return [
        Contender(
            submission=each,
            mu=each.rating.mu,
            sigma=each.rating.sigma,
            played=each.rating.played + unplayed.get(each.pk, 0),
            author=authors[each.pk],
            steps=spent.steps(authors[each.pk]),
            pending=going_on[authors[each.pk]],
        )
        for each in active
        if each == newcomer or not spent.waits(each.bot_id, authors[each.pk])
    ]


def _unplayed(competition: Competition) -> dict[int, int]:
    """Rated matches that changed no rating, by submission.

    These include void ones, so that a bot that the platform cannot play is not tried forever.
    """
    seats = Seat.objects.filter(
        match__competition=competition,
        match__kind=Match.Kind.LADDER,
        match__state__in=[State.QUEUED, State.RUNNING, State.VOID],
    )
    return dict(seats.values_list("submission").annotate(Count("pk")))


def _going_on(competition: Competition, spent: usage.Used) -> list[order.Waiting]:
    """Rated matches that are running or can run: not those that wait for an author's time."""
    ladder = {"match__competition": competition, "match__kind": Match.Kind.LADDER}
    running = order.read(match__state=State.RUNNING, **ladder)
    queued = order.read(match__state=State.QUEUED, **ladder)
    return running + [each for each in queued if not order.held_up(each, spent)]


def tick() -> None:
    """Top up every ladder that has something to learn. Called by the sweeper."""
    for_each_isolated(Competition.objects.filter(state=Competition.State.OPEN), top_up)
