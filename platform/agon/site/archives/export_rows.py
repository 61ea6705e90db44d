"""What the export of a competition has of its matches: the rows of its tables, and the records.

Everything is what a visitor without an account may see: matches and tournaments that are not released are
absent, and so are comparisons. Matches of a tournament are there once it is over, because only then its seeds
are public. People are numbers, and have no names; names of bots are those under which they played.

Rows are read a few hundred matches at a time, in the order of their ids.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncMonth

from agon.site.bots.states import COMPETED
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Rated
from agon.site.matches import records
from agon.site.matches.models import Fault, Match, Seat
from agon.site.matches.states import State
from agon.site.tournaments.match_access import visible
from agon.site.tournaments.states import OVER

_MATCHES = 500  # read at once; of records fewer
_RECORDS = 50

log = logging.getLogger(__name__)


class MatchRow(NamedTuple):
    """A match that was played. seed: as text, as many readers keep only 53 bits of a number.

    place: in its tournament or challenge, from 0. seconds: of playing.
    """

    id: int
    kind: str
    tournament: int | None
    round: int
    place: int
    seed: str
    seats: int
    steps: int
    seconds: float
    finished_at: str


class ExportedSeat(NamedTuple):
    """A seat of a match, from 0. rank: 1 is best, ties share it. score: exact text, such as "7/2"."""

    match: int
    seat: int
    bot_id: int
    bot: str
    submission_id: int
    version: int
    author_id: int
    house: bool
    score: str
    score_number: float
    rank: int
    won: bool
    faults: str


class RatingRow(NamedTuple):
    """The rating of a version as it was when the export was made; low, high: the 95 % interval, if known."""

    submission_id: int
    bot_id: int
    bot: str
    version: int
    author_id: int
    house: bool
    active: bool
    rating: float
    low: float | None
    high: float | None
    best: int
    worst: int
    played: int
    won: int
    drawn: int
    faults: int


class Month(NamedTuple):
    """The matches that ended in a month. basis: changes with the matches and the records that are there."""

    name: str
    begin: datetime
    end: datetime
    matches: int
    records: int
    basis: str


def exported(competition: Competition, until: datetime) -> QuerySet[Match]:
    """The matches that ended before `until` and that anyone may see, with all of their seeds public."""
    matches = visible(AnonymousUser()).filter(
        competition=competition, state=State.FINISHED, finished_at__lt=until
    )
    return matches.filter(Q(tournament=None) | Q(tournament__state__in=OVER))


def months(competition: Competition, until: datetime) -> list[Month]:
    """The months with matches, in order, in one query."""
    grouped = exported(competition, until).annotate(month=TruncMonth("finished_at")).values("month")
    counted = grouped.annotate(
        matches=Count("pk"),
        ids=Sum("pk"),
        recorded=Count("pk") - Count("removed_record"),
        record_ids=Sum("pk") - Coalesce(Sum("removed_record"), 0),
    )
    return [
        Month(
            f"{row['month']:%Y-%m}",
            row["month"],
            min(_next_month(row["month"]), until),
            row["matches"],
            row["recorded"],
            f"{row['matches']}-{row['ids']}-{row['recorded']}-{row['record_ids']}",
        )
        for row in counted.order_by("month")
    ]


def match_rows(competition: Competition, month: Month) -> Iterator[MatchRow]:
    fields: tuple[str, ...] = (
        "pk",
        "kind",
        "tournament",
        "round",
        "index",
        "seed",
        "steps",
        "seconds",
        "finished_at",
    )
    for part in _parts(competition, month, _MATCHES):
        rows = Match.objects.filter(pk__in=part).annotate(number=Count("seats")).order_by("pk")
        for *values, ended, number in rows.values_list(*fields, "number"):
            pk, kind, tournament, round, place, seed, steps, seconds = values
            when = ended.isoformat(timespec="seconds")
            yield MatchRow(pk, kind, tournament, round, place, str(seed), number, steps, seconds or 0.0, when)


def seat_rows(competition: Competition, month: Month) -> Iterator[ExportedSeat]:
    fields: tuple[str, ...] = (
        "pk",
        "match",
        "number",
        "submission__bot",
        "name",
        "submission",
        "submission__number",
    )
    fields += ("submission__bot__owner", "submission__bot__house", "score", "rank", "won")
    for part in _parts(competition, month, _MATCHES):
        seats = Seat.objects.filter(match__in=part)
        faults: dict[int, list[str]] = {}
        for seat, kind in Fault.objects.filter(seat__in=seats).order_by("pk").values_list("seat", "kind"):
            faults.setdefault(seat, []).append(kind)
        rows: Iterable[tuple[Any, ...]] = seats.order_by("match", "number").values_list(*fields)
        for pk, *known, score, rank, won in rows:
            result = (score, float(Fraction(score)), rank, won, " ".join(faults.get(pk, ())))
            yield ExportedSeat._make((*known, *result))


def record_lines(competition: Competition, month: Month) -> Iterator[bytes]:
    """A line of JSON for each record that is kept: the match's id, and the record as its page has it.

    The log gets one line for all that are lost, because a lost pack holds very many.
    """
    lost, first = 0, ""
    for match in records.of_many(_recorded(competition, month)):
        try:
            data = records.public_json(match)
        except (FileNotFoundError, ValueError) as error:
            lost, first = lost + 1, first or f"that of match {match.pk}: {error}"
            continue
        yield b'{"match":%d,"record":%s}\n' % (match.pk, data.strip())
    if lost:
        where = competition.slug, month.name
        log.error("records of %s in %s that are lost and not exported: %s, first %s", *where, lost, first)


def _recorded(competition: Competition, month: Month) -> Iterator[Match]:
    for part in _parts(competition, month, _RECORDS):
        matches = Match.objects.filter(pk__in=part, removed_record=None).order_by("pk")
        yield from matches.select_related("recording", "tournament", "comparison")


def rating_rows(competition: Competition) -> Iterator[RatingRow]:
    rated = Rated.objects.filter(submission__bot__competition=competition, submission__state__in=COMPETED)
    fields: tuple[str, ...] = ("submission", "submission__bot", "submission__bot__name", "submission__number")
    fields += ("submission__bot__owner", "submission__bot__house", "submission__bot__active")
    of_rating = ("rating", "low", "high", "best", "worst", "played", "won", "drawn", "faults")
    fields += tuple(f"rating__{name}" for name in of_rating)
    rows: Iterator[tuple[Any, ...]] = rated.order_by("submission").values_list(*fields).iterator(_MATCHES)
    for submission, bot, name, version, author, house, active, *rating in rows:
        yield RatingRow(submission, bot, name, version, author, house, active == submission, *rating)


def tournaments(competition: Competition, until: datetime) -> list[int]:
    """Those whose matches are in the export."""
    matches = exported(competition, until).exclude(tournament=None)
    return sorted(matches.values_list("tournament", flat=True).distinct())


def _parts(competition: Competition, month: Month, size: int) -> Iterator[list[int]]:
    matches = exported(competition, month.end).filter(finished_at__gte=month.begin).order_by("pk")
    last = 0
    while part := list(matches.filter(pk__gt=last).values_list("pk", flat=True)[:size]):
        yield part
        last = part[-1]


def _next_month(begin: datetime) -> datetime:
    year, month = divmod(begin.year * 12 + begin.month, 12)
    return begin.replace(year=year, month=month + 1)
