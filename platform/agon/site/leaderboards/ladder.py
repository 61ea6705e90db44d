"""The ladder: queues rated matches as long as they can separate ranks
(agon.statistics.ratings.matchmaking).

It rests when every submission has a decided rank or has played AGON_LADDER_MATCHES rated matches. Until then
a few matches are kept queued. An organizer may request more (`decide`): to play until the first ranks are
decided, with a limited number of additional matches.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.competitions.models import Competition
from agon.site.core.isolation import for_each_isolated
from agon.site.leaderboards import table
from agon.site.leaderboards.models import Leaderboard, Rating, SeatCount
from agon.site.leaderboards.ratings import lock
from agon.site.leaderboards.table import Row
from agon.site.matches import queueing, usage
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State
from agon.site.teams.queries import groups
from agon.statistics.ratings import matchmaking
from agon.statistics.ratings.matchmaking import FOURTH, Contender, Goal

AHEAD = 8  # matches to keep queued or running in a competition
LEAD = 2  # minutes: an author who used this much more than the least active one waits behind the others


class Lineup(NamedTuple):
    """The contenders of a competition, and their submissions by id."""

    contenders: list[Contender]
    submissions: dict[int, Submission]


class Capacity(NamedTuple):
    """How many more matches to queue: `total`, or `light` for authors whose minutes are below `heavy_from`.

    Queued matches of authors with more minutes wait behind the others', and must not take up their capacity.
    """

    total: int
    light: int
    heavy_from: float


def top_up(competition: Competition) -> int:
    """Queue rated matches until AHEAD are open, if any are worth playing; returns how many."""
    # Reads do not block SQLite's one writer, and mostly there is nothing to do.
    return _top_up(competition) if _is_due(competition) else 0


def _is_due(competition: Competition) -> bool:
    """Whether there are matches to queue, or an organizer's request to end."""
    if not competition.has_ladder:
        return False
    spent = usage.current_usage()
    light_matches = [
        match for match in _open_matches(competition, spent) if queueing.minutes(match, spent) < LEAD
    ]
    if len(light_matches) > AHEAD // 2:
        return False
    goal = _goal(Leaderboard.objects.filter(competition=competition).first())
    contenders = _lineup(competition, spent).contenders
    if any(map(goal.wants, contenders)):
        return len(contenders) >= competition.info.min_seats
    return goal.first > 0


@transaction.atomic
def _top_up(competition: Competition) -> int:
    spent = usage.current_usage()
    board = lock(competition)  # two workers top up one after the other
    goal = _goal(board)
    lineup = _lineup(competition, spent)
    of_authors = (contender.minutes for contender in lineup.contenders if contender.author is not None)
    heavy_from = min(of_authors, default=0.0) + LEAD
    open_matches = _open_matches(competition, spent)
    capacity = Capacity(
        total=AHEAD - len(open_matches),
        light=AHEAD - sum(queueing.minutes(match, spent) < heavy_from for match in open_matches),
        heavy_from=heavy_from,
    )
    seatings = _draw_seatings(
        lineup.contenders, competition.info.min_seats, goal, capacity, random.SystemRandom()
    )
    for seats in seatings:
        _queue(competition, lineup, seats)
    if goal.first:
        _store_goal(board, goal, lineup.contenders)
    return len(seatings)


@transaction.atomic
def first_match(submission: Submission) -> Match | None:
    """Queue a submission's first rated match, ahead of bulk work.

    None if there are too few opponents, or if the competition was closed while the submission was checked.
    """
    competition = submission.bot.competition
    if not competition.has_ladder:
        return None
    lineup = _lineup(competition, usage.current_usage(), submission)
    seats = competition.info.min_seats
    if len(lineup.contenders) < seats:
        return None
    own = next(contender for contender in lineup.contenders if contender.id == submission.pk)
    seating = matchmaking.seat(own, lineup.contenders, seats, random.SystemRandom())
    return _queue(competition, lineup, seating, Match.Queue.INTERACTIVE)


@transaction.atomic
def play_without(competition: Competition, bot: int) -> Match | None:
    """Queue a rated match without this bot (for the void rule); None if there are too few others."""
    if not competition.has_ladder:
        return None
    lock(competition)
    lineup = _lineup(competition, usage.current_usage())
    others = [contender for contender in lineup.contenders if lineup.submissions[contender.id].bot_id != bot]
    seats = competition.info.min_seats
    if len(others) < seats:
        return None
    draw = random.SystemRandom()
    return _queue(competition, lineup, matchmaking.seat(draw.choice(others), others, seats, draw))


@transaction.atomic
def decide(competition: Competition, first: int, matches: int) -> None:
    """Play until the first `first` ranks are decided, with at most `matches` more matches; 0 and 0: stop."""
    lock(competition)
    Leaderboard.objects.filter(competition=competition).update(
        decide_first=first, matches_left=matches, version=F("version") + 1
    )


def settled(competition: Competition, rows: Iterable[Row]) -> set[int]:
    """The bots of these rows that the ladder seeks no more matches for; they play on as opponents."""
    if not competition.has_ladder:
        return set()
    goal = _goal(Leaderboard.objects.filter(competition=competition).first())
    contenders = {
        row.bot_id: Contender(row.submission_id, row.rating, row.played, row.best, row.worst) for row in rows
    }
    return {bot for bot, contender in contenders.items() if not goal.wants(contender)}


def rest(competition: Competition, row: Row) -> str:
    """Why the ladder draws no more matches for a bot, in the reader's language; "" if it draws some, or has
    drawn some that may still give it a rank.
    """
    open_ones = _seats_of(row, State.QUEUED, State.RUNNING)
    counted = Rating.objects.filter(rated__submission=row.submission_id, played=row.played)
    if row.provisional and (open_ones.exists() or not counted.exists()):  # or one ended since it was read
        return ""
    if competition.is_over:
        return _("The competition is closed: the ladder draws no more matches.")
    if not competition.ladder:
        return _("This competition has no ladder: nothing plays for a rank.")
    if row.is_decided:
        return _("Settled: its rank is decided. It plays on only as an opponent of others.")
    tried = replace(row, played=row.played + _seats_of(row, State.VOID).count())
    if settled(competition, [tried]):
        return _(
            "Settled: it has played %(played)s rated matches, and more would not tell its rank much better."
            " It plays on only as an opponent of others."
        ) % {"played": tried.played}
    seats, bots = competition.info.min_seats, table.count(competition)
    if bots >= seats:
        return ""
    return _("The ladder rests: a match needs %(seats)d bots, and %(bots)d may play.") % {
        "seats": seats,
        "bots": bots,
    }


def _seats_of(row: Row, *states: str) -> QuerySet[Seat]:
    ladder = {"match__kind": Match.Kind.LADDER, "match__state__in": states}
    return Seat.objects.filter(submission=row.submission_id, **ladder)


def _draw_seatings(
    contenders: Sequence[Contender], seats: int, goal: Goal, capacity: Capacity, draw: random.Random
) -> list[list[Contender]]:
    seatings: list[list[Contender]] = []
    if len(contenders) < seats:
        return seatings
    by_id = {contender.id: contender for contender in contenders}
    latest = max(contender.waited_since for contender in contenders)
    played = sum(contender.played for contender in contenders) // seats
    while wanting := [contender for contender in contenders if goal.wants(contender)]:
        is_fourth = (played + len(seatings)) % FOURTH == 0
        first = matchmaking.first_of(wanting, is_fourth, draw)
        if len(seatings) >= (capacity.light if first.minutes < capacity.heavy_from else capacity.total):
            break
        goal.note_draw(first)
        seatings.append(matchmaking.seat(first, contenders, seats, draw))
        for number, seated in enumerate(seatings[-1]):
            by_id[seated.id].played += 1
            by_id[seated.id].seats[number] += 1
            by_id[seated.id].waited_since = latest + len(seatings)
        authors = {seated.author for seated in seatings[-1]}
        for contender in contenders:
            contender.pending += contender.author in authors
    return seatings


def _queue(
    competition: Competition,
    lineup: Lineup,
    seating: Sequence[Contender],
    queue: Match.Queue = Match.Queue.BULK,
) -> Match:
    seats = [lineup.submissions[contender.id] for contender in seating]
    return queueing.queue(competition, Match.Kind.LADDER, queue, seats)


def _goal(board: Leaderboard | None) -> Goal:
    most = settings.AGON_LADDER_MATCHES
    return Goal(most, board.decide_first, board.matches_left) if board is not None else Goal(most)


def _store_goal(board: Leaderboard, goal: Goal, contenders: Iterable[Contender]) -> None:
    """Store how many of the organizer's additional matches are left; end a request that is fulfilled."""
    if goal.left > 0 and any(map(goal.is_for, contenders)):
        board.matches_left = goal.left
        board.save(update_fields=["matches_left"])
    else:
        decide(board.competition, 0, 0)


def _authors(bots: Iterable[tuple[int, int | None]]) -> set[int | None]:
    return {author for _bot, author in bots} or {None}


def _lineup(competition: Competition, spent: usage.Usage, newcomer: Submission | None = None) -> Lineup:
    """All submissions that may play now, and `newcomer` in any case."""
    unplayed = _unplayed(competition)
    seats = _seats(competition)
    open_by_author: Counter[int | None] = Counter(
        author for match in _open_matches(competition, spent) for author in _authors(match.bots)
    )
    active = Submission.objects.filter(
        bot__competition=competition, state=SubmissionState.ACTIVE, rated__isnull=False
    ).select_related("rated__rating", "bot")
    one_of = groups({submission.bot.owner_id for submission in active})  # who could help each other
    contenders = []
    for version in active:
        rating, author = version.rated.rating, None if version.bot.house else version.bot.owner_id
        if version != newcomer and spent.waits(version.bot_id, author):
            continue
        contenders.append(
            Contender(
                id=version.pk,
                rating=rating.rating,
                played=rating.played + unplayed.get(version.pk, 0),
                best=rating.best,
                worst=rating.worst,
                author=None if author is None else one_of[author],
                minutes=spent.minutes(author),
                bot_minutes=0.0 if author is None else spent.bots.get(version.bot_id, 0.0) / usage.MINUTE,
                pending=open_by_author[author],
                waited_since=0.0 if rating.seated is None else rating.seated.timestamp(),
                seats=seats.get(rating.pk, Counter()),
            )
        )
    return Lineup(contenders, {submission.pk: submission for submission in active})


def _seats(competition: Competition) -> dict[int, Counter[int]]:
    counts: dict[int, Counter[int]] = {}
    seat_counts = SeatCount.objects.filter(rating__competition=competition)
    for rating, number, times in seat_counts.values_list("rating", "number", "times"):
        counts.setdefault(rating, Counter())[number] = times
    return counts


def _unplayed(competition: Competition) -> dict[int, int]:
    """The number of rated matches that have changed no rating, by submission.

    These include void ones, so that a bot that the platform cannot play is not tried forever.
    """
    seats = Seat.objects.filter(
        match__competition=competition,
        match__kind=Match.Kind.LADDER,
        match__state__in=[State.QUEUED, State.RUNNING, State.VOID],
    )
    return dict(seats.values_list("submission").annotate(Count("pk")))


def _open_matches(competition: Competition, spent: usage.Usage) -> list[queueing.Waiting]:
    """Rated matches that are running or can run: not those that wait for an author's time."""
    ladder = {"match__competition": competition, "match__kind": Match.Kind.LADDER}
    running = queueing.read_matches(match__state=State.RUNNING, **ladder)
    queued = queueing.read_matches(match__state=State.QUEUED, **ladder)
    return running + [waiting for waiting in queued if not queueing.is_held_up(waiting, spent)]


def tick() -> None:
    """Top up the ladder of every open competition with a rank to decide. Called by the sweeper."""
    for_each_isolated(_undecided(), top_up)


def _undecided() -> QuerySet[Competition]:
    """The open competitions in which the ladder may have something to do: only `_is_due` knows."""
    active = Rating.objects.filter(
        competition=OuterRef("pk"), rated__submission__state=SubmissionState.ACTIVE
    )
    undecided = active.filter(played__lt=settings.AGON_LADDER_MATCHES).exclude(best__gt=0, worst=F("best"))
    requested = Q(leaderboard__decide_first__gt=0)
    return Competition.objects.filter(
        requested | Exists(undecided), state=Competition.State.OPEN, ladder=True
    )
