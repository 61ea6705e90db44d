"""Analyzes the matches of a version: weaknesses, tables of results, matches to watch.

They are computed from its latest MOST_MATCHES finished public matches: rated ones and those of tournaments.
The advantage of each seat is estimated from the other matches among the latest MOST_MATCHES of the
competition. This takes seven queries, however many matches it played, three of which serve all versions of
the competition. The result is cached for all readers (agon.site.core.cached).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from agon.site.bots.models import Submission
from agon.site.core.cached import cached
from agon.site.leaderboards.models import Rated
from agon.site.matches.models import Fault, Match, Seat
from agon.site.tournaments.match_access import visible
from agon.statistics.ratings.scale import CENTER, WIDTH
from agon.statistics.weaknesses.findings import Finding, Parts, findings
from agon.statistics.weaknesses.groups import quarters
from agon.statistics.weaknesses.outcomes import FaultSeen, Outcome, compared, seat_bonuses
from agon.statistics.weaknesses.tables import Tables, tables
from agon.statistics.weaknesses.watch import ToWatch, to_watch

MOST_MATCHES = 2000  # matches
FRESH = 20.0  # seconds for which it is not computed again
LATEST_SECONDS = 600.0  # for which the latest matches of a competition are cached
BOUNDS_SECONDS = 3600.0  # for which the bounds of the length groups are cached
BINS = 20  # of the histogram of times, each a twentieth of the limit; one more for times above it
KINDS = (Match.Kind.LADDER, Match.Kind.TOURNAMENT)


@dataclass(frozen=True)
class Insight:
    """About one version. matches: how many were analyzed. is_all: whether it has played no others.

    levels: by bot, the mean rating of its versions that were met. times: a histogram with BINS + 1 bins: the
    number of matches by the slowest answer's share of the time limit, where it is known.
    """

    matches: int
    is_all: bool
    rating: float
    findings: list[Finding]
    watch: list[ToWatch]
    tables: Tables | None
    levels: dict[int, float]
    times: list[int]


class _SeatRow(NamedTuple):
    match: int
    steps: int
    number: int
    rank: int
    slowest: float | None
    seat: int
    submission: int
    bot: int


class _RankRow(NamedTuple):
    match: int
    submission: int
    rank: int


class _Seen(NamedTuple):
    """A match of the competition. submissions: by seat. seats: their ranks and ratings."""

    steps: int
    submissions: Sequence[int]
    seats: Sequence[tuple[int, float]]


class _Level(NamedTuple):
    """A version's rating and its standard error."""

    rating: float = CENTER
    error: float = 0.0


def insight(submission: Submission) -> Insight:
    """The insight into a version; it may be FRESH seconds old."""
    return cached(f"insight:{submission.pk}", lambda: _compute(submission), FRESH)


def _compute(submission: Submission) -> Insight:
    competition = submission.bot.competition_id
    # Without their competition: a database would read all of its matches rather than those few.
    own = _finished().filter(pk__in=Seat.objects.filter(submission=submission).values("match"))
    latest = list(own.order_by("-pk").values_list("pk", flat=True)[: MOST_MATCHES + 1])
    played = _by_match(latest[:MOST_MATCHES])
    levels = _levels({seat_row.submission for match in played for seat_row in match} | {submission.pk})
    latest_matches = _latest_matches(competition)
    others_matches = [match for match in latest_matches if submission.pk not in match.submissions]
    bonuses = seat_bonuses(match.seats for match in others_matches)
    faults = _faults(submission, latest[:MOST_MATCHES])
    outcomes = [
        Outcome(
            match=seat.match,
            seat=seat.number,
            comparisons=compared(
                seat.rank,
                [(other.bot, other.rank, levels[other.submission].rating) for other in others],
                levels[submission.pk].rating,
                bonuses.get((len(others) + 1, seat.number), 0.0),
            ),
            steps=seat.steps,
            faults=tuple(faults.get(seat.seat, ())),
            time=seat.slowest,
        )
        for seat, others in (_own_and_others(submission, match) for match in played)
        if others
    ]
    versions = _versions_by_bot(played)
    errors = {bot: fmean(levels[version].error for version in versions[bot]) for bot in versions}
    parts = Parts(outcomes, _bounds(competition, others_matches), errors) if outcomes else None
    return Insight(
        matches=len(outcomes),
        is_all=len(latest) <= MOST_MATCHES,
        rating=levels[submission.pk].rating,
        findings=findings(parts) if parts else [],
        watch=to_watch(outcomes),
        tables=tables(parts) if parts else None,
        levels={bot: fmean(levels[version].rating for version in versions[bot]) for bot in versions},
        times=_histogram([outcome.time for outcome in outcomes if outcome.time is not None]),
    )


def _finished() -> QuerySet[Match]:
    """The finished public matches that can be analyzed."""
    return visible(AnonymousUser()).filter(kind__in=KINDS, state=Match.State.FINISHED)


def _latest_matches(competition: int) -> list[_Seen]:
    """The latest MOST_MATCHES matches of a competition.

    They are cached as JSON: as tuples they would be written and read in four times the time.
    """
    key = f"latest-matches:{competition}"
    text = cached(key, lambda: json.dumps(_read_latest_matches(competition)), LATEST_SECONDS)
    return [_Seen(*match) for match in json.loads(text)]


def _read_latest_matches(competition: int) -> list[_Seen]:
    """Read them from the database.

    Their seats are read without joining matches and submissions: for 2,000 ids, a database would scan those
    tables.
    """
    finished = _finished().filter(competition=competition)
    steps = dict(finished.order_by("-pk").values_list("pk", "steps")[:MOST_MATCHES])
    seats = Seat.objects.filter(match__in=list(steps), rank__isnull=False).order_by("match_id", "number")
    fields = ("match_id", "submission_id", "rank")
    rows = [_RankRow(*row) for row in seats.values_list(*fields)]
    levels = _levels({row.submission for row in rows})
    recent = (
        (match, list(seats_of_match)) for match, seats_of_match in groupby(rows, key=attrgetter("match"))
    )
    return [
        _Seen(
            steps[match],
            tuple(seat.submission for seat in seats_of_match),
            tuple((seat.rank, levels[seat.submission].rating) for seat in seats_of_match),
        )
        for match, seats_of_match in recent
    ]


def _bounds(competition: int, matches: Sequence[_Seen]) -> list[int]:
    """The bounds of the length groups: for a while the same for all, so that versions can be compared."""
    lengths = [match.steps for match in matches]
    return cached(f"quarters:{competition}", lambda: quarters(lengths), BOUNDS_SECONDS)


def _by_match(matches: Sequence[int]) -> list[list[_SeatRow]]:
    """The seats of these matches that have a rank, by match and number."""
    seats = Seat.objects.filter(match__in=matches, rank__isnull=False).order_by("match", "number")
    fields = ("match", "match__steps", "number", "rank", "slowest", "pk", "submission", "submission__bot")
    rows = (_SeatRow(*row) for row in seats.values_list(*fields))
    return [list(seat_rows) for _, seat_rows in groupby(rows, key=attrgetter("match"))]


def _seats_of(submission: Submission, match: Sequence[_SeatRow]) -> list[_SeatRow]:
    return [seat_row for seat_row in match if seat_row.submission == submission.pk]


def _own_and_others(submission: Submission, match: Sequence[_SeatRow]) -> tuple[_SeatRow, list[_SeatRow]]:
    """The version's seat, the first if it has several, and those of all other bots."""
    own = _seats_of(submission, match)[0]
    return own, [seat_row for seat_row in match if seat_row.bot != own.bot]


def _levels(submissions: Iterable[int]) -> dict[int, _Level]:
    """The rating of each, and its standard error; CENTER for one that was never rated."""
    rated = Rated.objects.filter(submission__in=submissions)
    fields = ("submission", "rating__rating", "rating__low", "rating__high")
    known = {
        pk: _Level(rating, (high - low) / (2 * WIDTH) if low is not None and high is not None else 0.0)
        for pk, rating, low, high in rated.values_list(*fields)
    }
    return {pk: known.get(pk, _Level()) for pk in submissions}


def _faults(submission: Submission, matches: Sequence[int]) -> dict[int, list[FaultSeen]]:
    """The version's faults, by the key of its seat."""
    faults: dict[int, list[FaultSeen]] = {}
    rows = Fault.objects.filter(seat__submission=submission, seat__match__in=matches).order_by("pk")
    for seat, kind, step in rows.values_list("seat", "kind", "step"):
        faults.setdefault(seat, []).append(FaultSeen(kind, step))
    return faults


def _versions_by_bot(played: Iterable[Sequence[_SeatRow]]) -> dict[int, set[int]]:
    """The versions that took part in these matches, by bot; the bot's own versions are among them."""
    versions: dict[int, set[int]] = {}
    for match in played:
        for seat_row in match:
            versions.setdefault(seat_row.bot, set()).add(seat_row.submission)
    return versions


def _histogram(shares: Iterable[float]) -> list[int]:
    counts = [0] * (BINS + 1)
    for share in shares:
        counts[min(int(share * BINS), BINS)] += 1
    return counts
