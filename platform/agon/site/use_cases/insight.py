"""Analyzes the matches of a version: weaknesses, tables of results, matches to watch.

They are computed from its latest MOST_MATCHES finished public matches: rated ones and those of tournaments.
The advantage of each seat is estimated from the other matches among the latest MOST_MATCHES of the
competition. This takes six queries, however many matches it played, two of which serve all versions of
the competition. The result is cached for all readers (agon.site.core.cached).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

import numpy as np
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from numpy.typing import NDArray

from agon.site.bots.models import Submission
from agon.site.core.cached import cached, is_fresh
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


_SEEN = np.dtype([("match", "i8"), ("submission", "i8"), ("rank", "i8"), ("steps", "i8"), ("rating", "f8")])


class _Level(NamedTuple):
    """A version's rating and its standard error."""

    rating: float = CENTER
    error: float = 0.0


def insight(submission: Submission) -> Insight:
    """The insight into a version; it may be FRESH seconds old."""
    return cached(_key(submission), lambda: _compute(submission), FRESH)


def is_at_hand(submission: Submission) -> bool:
    """Whether `insight` returns it without computing it."""
    return is_fresh(_key(submission))


def _key(submission: Submission) -> str:
    return f"insight:{submission.pk}"


def _compute(submission: Submission) -> Insight:
    competition = submission.bot.competition_id
    # Without their competition: a database would read all of its matches rather than those few.
    own = _finished().filter(pk__in=Seat.objects.filter(submission=submission).values("match"))
    latest = _by_match(own.order_by("-pk")[: MOST_MATCHES + 1])
    played = latest[-MOST_MATCHES:]
    levels = _levels({seat_row.submission for match in played for seat_row in match} | {submission.pk})
    elsewhere = _without(_latest_seats(competition), submission.pk)
    bonuses = seat_bonuses(elsewhere["match"], elsewhere["rank"], elsewhere["rating"])
    faults = _faults(submission, played[0][0].match) if played else {}
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
    parts = Parts(outcomes, _bounds(competition, elsewhere), errors) if outcomes else None
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


def _latest_seats(competition: int) -> NDArray[np.void]:
    """The seats of the latest MOST_MATCHES matches of a competition: rows of _SEEN, match by match.

    They are cached as bytes, because a list of values takes much longer to read.
    """
    key = f"latest-seats:{competition}"
    return np.frombuffer(cached(key, lambda: _read_latest_seats(competition), LATEST_SECONDS), _SEEN)


def _read_latest_seats(competition: int) -> bytes:
    latest = _finished().filter(competition=competition).order_by("-pk")[:MOST_MATCHES]
    seats = Seat.objects.filter(match__in=latest, rank__isnull=False).order_by("match", "number")
    rows = list(seats.values_list("match", "submission", "rank", "match__steps"))
    levels = _levels({submission for _, submission, *_ in rows})
    return np.array([(*row, levels[row[1]].rating) for row in rows], _SEEN).tobytes()


def _without(seats: NDArray[np.void], submission: int) -> NDArray[np.void]:
    """The seats of matches in which this version did not take part."""
    own = seats["match"][seats["submission"] == submission]
    return seats[~np.isin(seats["match"], own)]


def _bounds(competition: int, seats: NDArray[np.void]) -> list[int]:
    """The bounds of the length groups: for a while the same for all, so that versions can be compared."""
    _, firsts = np.unique(seats["match"], return_index=True)
    lengths: list[int] = seats["steps"][firsts].tolist()
    return cached(f"quarters:{competition}", lambda: quarters(lengths), BOUNDS_SECONDS)


def _by_match(matches: QuerySet[Match]) -> list[list[_SeatRow]]:
    """The seats of these matches that have a rank, by match and number.

    Their bots are read apart: a database would read all versions to join so many.
    """
    seats = Seat.objects.filter(match__in=matches, rank__isnull=False).order_by("match", "number")
    fields = ("match", "match__steps", "number", "rank", "slowest", "pk", "submission")
    rows = list(seats.values_list(*fields))
    versions = Submission.objects.filter(pk__in={row[-1] for row in rows})
    bots = dict(versions.values_list("pk", "bot"))
    seat_rows = (_SeatRow._make((*row, bots[row[-1]])) for row in rows)
    return [list(seats_of_match) for _, seats_of_match in groupby(seat_rows, key=attrgetter("match"))]


def _own_and_others(submission: Submission, match: Sequence[_SeatRow]) -> tuple[_SeatRow, list[_SeatRow]]:
    """The version's seat, the first if it has several, and those of all other bots."""
    own = next(seat_row for seat_row in match if seat_row.submission == submission.pk)
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


def _faults(submission: Submission, first: int) -> dict[int, list[FaultSeen]]:
    """The version's faults from this match on, by the key of its seat."""
    faults: dict[int, list[FaultSeen]] = {}
    rows = Fault.objects.filter(seat__submission=submission, seat__match__gte=first).order_by("pk")
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
