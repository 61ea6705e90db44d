"""Computes the standings of a tournament from its results; used by the command line, the site and `verify`.

How a match becomes points is the tournament's choice (agon.contest.points). An entrant that sits in several
seats of one match gets what each of them earned.

A fault whose policy is `disqualify` removes its bot from the tournament: none of its matches counts, not even
those already played, and it is listed last with the reason. The same happens when the site stops a bot while
the tournament runs, and when a bot is withdrawn from it. Where later pairings followed from these matches
(Format.needs_results), they still count for the other entrants.

A format with an order of its own (Format.rank) decides the ranks; otherwise points do, and what the plan's
settings say: the mean of a match instead of the sum, and the matches among those with equal points.
"""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from agon.contest import formats
from agon.contest.formats import History, Outcome, Plan, ScheduledMatch
from agon.contest.formats.base import shared_ranks
from agon.contest.points import POINTS, Result
from agon.contest.tally import RankedSeats, Sums, Tally
from agon.contest.text import ASCII_SIGNS, escape_formula
from games.core.match_log import MatchLog
from games.core.story import mark


class StandingsRow(NamedTuple):
    """One line of the standings.

    entrant: its number in entry order. rank: ties share the better one. played, won, drawn: seats taken,
    seats alone in first place, seats that shared it. disqualified: "" or the reason. tie_breaks: what decided
    besides the points, the most important first, each by its key of CRITERIA.
    """

    entrant: int
    bot: str
    rank: int
    points: Fraction
    played: int
    won: int
    drawn: int
    faults: int
    disqualified: str
    tie_breaks: tuple[tuple[str, Fraction], ...] = ()


CRITERIA = {  # marked for translation: short enough for the head of a column, and what it is
    "buchholz_cut": (mark("Buchholz cut 1"), mark("the points of the opponents, without the worst of them")),
    "buchholz": (mark("Buchholz"), mark("the points of the opponents")),
    "sonneborn": (
        mark("Sonneborn-Berger"),
        mark("the points of each opponent, times what was won against it"),
    ),
    "wins": (mark("Wins"), mark("matches won")),
    "ties_won": (mark("Pairings won"), mark("pairings of the knock-out that were won")),
    "lots_won": (mark("By lot"), mark("how often a lot decided for the bot, among equals")),
    "tables_won": (mark("Tables"), mark("tables of the knock-out from which the bot went on")),
    "group_place": (mark("Group"), mark("the place in the group")),
    "group_points": (mark("Group points"), mark("points of the group matches: 1 a win, 1/2 a draw")),
    "mean": (mark("Mean"), mark("mean points of a match")),
    "head_to_head": (mark("Head-to-head"), mark("points of the matches among those with equal points")),
}
CSV_FIELDS = ("rank", "bot", "points", "played", "won", "drawn", "faults", "disqualified")


def result_of(log: MatchLog, entrants: Sequence[int]) -> Result:
    """The result of a match whose seats were taken by these entrants (numbers, by seat)."""
    return Result(tuple(entrants), tuple(map(Fraction, log.scores)), log.ranks, log.faults, log.seed)


def outcome_of(
    seats: Sequence[int], result: Result | None, plan: Plan, disqualifying: Collection[str]
) -> Outcome:
    """How a match ended, for its format. result: None if it has none. disqualifying: kinds of fault."""
    if result is None:
        return Outcome(tuple(seats))
    out = tuple(result.seats[fault.seat] for fault in result.faults if fault.kind in disqualifying)
    points = tuple(POINTS[plan.points].of(result))
    return Outcome(result.seats, points, result.ranks, out, result.seed)


def history_of(
    plan: Plan,
    results: Mapping[int, Result],
    matches: int,
    disqualifying: Collection[str] = (),
    absences: Sequence[formats.Absence] = (),
) -> tuple[list[ScheduledMatch], History]:
    """The first `matches` matches of a tournament with these results (by index), and its history.

    Raises BadFormat.
    """

    def outcome(scheduled: ScheduledMatch) -> Outcome:
        result = results.get(scheduled.index)
        fits = result is not None and result.seats == scheduled.seats
        return outcome_of(scheduled.seats, result if fits else None, plan, disqualifying)

    return formats.replay(plan, outcome, matches, absences)


def standings_of(
    bots: Sequence[str],
    tally: Tally,
    stopped: Mapping[int, str] = MappingProxyType({}),
    plan: Plan | None = None,
    history: History | None = None,
) -> tuple[StandingsRow, ...]:
    """The table, best first; equal points share a rank and keep entry order.

    bots: names in entry order. tally: the sums of the results. stopped: the numbers of entrants that the site
    has stopped, with the reason. plan, history: of the tournament; without them points alone decide.
    """
    disqualified = {**tally.out, **stopped}
    results_stand = plan is not None and formats.FORMATS[plan.format].needs_results
    counted = tally.without(() if results_stand else disqualified)
    sums = [_Totals(faults=tally.faults.get(entrant, 0)) for entrant in range(len(bots))]
    for seating, played in counted.items():
        _add_seating(seating, played, sums)
    order = _order(sums, counted, plan, history)
    keys = [(entrant in disqualified, order.ranks[entrant]) for entrant in range(len(bots))]
    ranked = sorted(range(len(bots)), key=keys.__getitem__)
    rows: list[StandingsRow] = []
    previous = -1
    for place, entrant in enumerate(ranked, start=1):
        totals = sums[entrant]
        is_tied = bool(rows) and keys[entrant] == keys[previous]
        rank = rows[-1].rank if is_tied else place
        rows.append(
            StandingsRow(
                entrant,
                bots[entrant],
                rank,
                order.points[entrant],
                totals.played,
                totals.won,
                totals.drawn,
                totals.faults,
                disqualified=disqualified.get(entrant, ""),
                tie_breaks=tuple(zip(order.criteria, order.values[entrant], strict=True)),
            )
        )
        previous = entrant
    return tuple(rows)


class _Order(NamedTuple):
    """An order of the entrants. By entrant: ranks, of which only the order matters; points as shown; and the
    values of the other criteria.
    """

    ranks: Sequence[int]
    points: Sequence[Fraction]
    criteria: tuple[str, ...]
    values: Sequence[tuple[Fraction, ...]]


def _order(
    sums: Sequence["_Totals"],
    counted: Mapping[RankedSeats, Sums],
    plan: Plan | None,
    history: History | None,
) -> _Order:
    points = [totals.points for totals in sums]
    settings = {} if plan is None else plan.settings
    own_ranking = None if plan is None else formats.ranking(plan, history or History())
    if own_ranking is not None:
        if own_ranking.criteria[0] == "points":
            shown = [values[0] for values in own_ranking.values]
            return _Order(
                own_ranking.ranks,
                shown,
                own_ranking.criteria[1:],
                [values[1:] for values in own_ranking.values],
            )
        return _Order(own_ranking.ranks, points, own_ranking.criteria, own_ranking.values)
    if settings.get("rank_by") == "mean":
        points = [totals.points / max(1, totals.played) for totals in sums]
    if settings.get("ties") == "head_to_head":
        head_to_head = _head_to_head(points, counted)
        keys = list(zip(points, head_to_head, strict=True))
        return _Order(shared_ranks(keys), points, ("head_to_head",), [(earned,) for earned in head_to_head])
    return _Order(shared_ranks([(point,) for point in points]), points, (), [()] * len(sums))


def _head_to_head(points: Sequence[Fraction], counted: Mapping[RankedSeats, Sums]) -> list[Fraction]:
    """The points that each entrant earned in matches all of whose entrants have equal points in total."""
    earned_among = [Fraction(0)] * len(points)
    for seating, played in counted.items():
        if len({points[entrant] for entrant in seating.seats}) == 1:
            for entrant, earned in zip(seating.seats, played.points, strict=True):
                earned_among[entrant] += earned
    return earned_among


def to_csv(rows: Iterable[StandingsRow]) -> str:
    """standings.csv: a header and one line per bot, exact numbers as text ("7/2"), tie-breaks last.

    Names and reasons are escaped for spreadsheets, because they contain text from bots and their authors; not
    where full-width signs begin them, for archives of earlier versions have to lead to the same file.
    """
    rows = list(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*CSV_FIELDS, *(name for row in rows[:1] for name, _value in row.tie_breaks)])
    for row in rows:
        fields = [getattr(row, name) for name in CSV_FIELDS]
        cells = [escape_formula(value, ASCII_SIGNS) if isinstance(value, str) else value for value in fields]
        writer.writerow([*cells, *(value for _name, value in row.tie_breaks)])
    return text.getvalue()


def to_data(rows: Iterable[StandingsRow]) -> list[dict[str, str | int]]:
    """The standings for JSON: points as exact text, like the scores of a match."""
    return [
        {name: getattr(row, name) for name in CSV_FIELDS}
        | {"points": str(row.points)}
        | {name: str(value) for name, value in row.tie_breaks}
        for row in rows
    ]


@dataclass
class _Totals:
    points: Fraction = field(default_factory=Fraction)
    played: int = 0
    won: int = 0
    drawn: int = 0
    faults: int = 0


def _add_seating(seating: RankedSeats, played: Sums, sums: Sequence[_Totals]) -> None:
    alone = seating.has_one_winner
    for entrant, rank, earned in zip(seating.seats, seating.ranks, played.points, strict=True):
        totals = sums[entrant]
        totals.points += earned
        totals.played += played.matches
        totals.won += played.matches * (rank == 1 and alone)
        totals.drawn += played.matches * (rank == 1 and not alone)
