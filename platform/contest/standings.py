"""Standings: each entrant's place after these results. Pure; the command line, the site and `verify` call it.

How a match becomes points is the tournament's choice (contest.points). An entrant that sits in several seats
of one match gets what each of them earned.

A fault whose policy is `disqualify` removes its bot from the tournament: none of its matches counts, not even
those already played, and it is listed last with the reason. The same happens when the site stops a bot while
the tournament runs, and when a bot is withdrawn from it. Where later pairings followed from these matches
(Format.needs_results), they still count for the other entrants.

A format with an order of its own (Format.rank) decides the ranks; otherwise points do, and what the plan's
settings say: the mean of a match instead of the sum, and the matches among those with equal points.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from contest import formats
from contest.formats import History, Outcome, Pairing, Plan
from contest.formats.base import shared_ranks
from contest.points import POINTS, Result
from contest.tally import RankedSeats, Sums, Tally, tally_of
from contest.text import escape_formula
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
    "ties_won": (mark("Ties won"), mark("ties of the knock-out that were won")),
    "tables_won": (mark("Tables"), mark("tables of the knock-out from which the bot went on")),
    "group_place": (mark("Group"), mark("the place in the group")),
    "group_points": (mark("Group points"), mark("points of the group matches: 1 a win, 1/2 a draw")),
    "mean": (mark("Mean"), mark("mean points of a match")),
    "head_to_head": (mark("Head-to-head"), mark("points of the matches among those with equal points")),
}
CSV_FIELDS = ("rank", "bot", "points", "played", "won", "drawn", "faults", "disqualified")


def result_of(log: MatchLog, entrants: Sequence[int]) -> Result:
    """The result of a match whose seats were taken by these entrants (numbers, by seat)."""
    return Result(tuple(entrants), tuple(map(Fraction, log.scores)), log.ranks, log.faults)


def outcome_of(
    seats: Sequence[int], result: Result | None, plan: Plan, disqualifying: Collection[str]
) -> Outcome:
    """How a match ended, for its format. result: None if it has none. disqualifying: kinds of fault."""
    if result is None:
        return Outcome(tuple(seats))
    out = tuple(result.seats[fault.seat] for fault in result.faults if fault.kind in disqualifying)
    return Outcome(result.seats, tuple(POINTS[plan.points].of(result)), result.ranks, out)


def history_of(
    plan: Plan,
    results: Mapping[int, Result],
    matches: int,
    disqualifying: Collection[str] = (),
    absences: Sequence[formats.Absence] = (),
) -> tuple[list[Pairing], History]:
    """The first `matches` matches of a tournament with these results (by index), and its history.

    Raises BadFormat.
    """

    def outcome(pairing: Pairing) -> Outcome:
        found = results.get(pairing.index)
        fits = found is not None and found.seats == pairing.seats
        return outcome_of(pairing.seats, found if fits else None, plan, disqualifying)

    return formats.replay(plan, outcome, matches, absences)


def compute_standings(
    bots: Sequence[str],
    results: Iterable[Result],
    points: str,
    disqualifying: Collection[str] = (),
    stopped: Mapping[int, str] = MappingProxyType({}),
    plan: Plan | None = None,
    history: History | None = None,
) -> tuple[StandingsRow, ...]:
    """The table, best first; equal points share a rank and keep entry order.

    bots: names in entry order. results: in the order of the schedule. points: a key of POINTS. disqualifying:
    kinds of fault that remove a bot. stopped: the numbers of entrants that the site has stopped, with the
    reason. plan, history: of the tournament; without them points alone decide. Raises ValueError for an
    unknown way of giving points.
    """
    if points not in POINTS:
        raise ValueError(f"points: expected one of {', '.join(POINTS)}, got {points!r}")
    return standings_of(bots, tally_of(results, POINTS[points], disqualifying), stopped, plan, history)


def standings_of(
    bots: Sequence[str],
    tally: Tally,
    stopped: Mapping[int, str] = MappingProxyType({}),
    plan: Plan | None = None,
    history: History | None = None,
) -> tuple[StandingsRow, ...]:
    """The same from the sums of the results."""
    out = {**tally.out, **stopped}
    stand = plan is not None and formats.FORMATS[plan.format].needs_results
    counted = tally.without(() if stand else out)
    sums = [_Sum(faults=tally.faults.get(entrant, 0)) for entrant in range(len(bots))]
    for seating, played in counted.items():
        _count(seating, played, sums)
    order = _order(sums, counted, plan, history)
    ranked = sorted(range(len(bots)), key=lambda n: (n in out, order.ranks[n]))
    rows: list[StandingsRow] = []
    before = -1
    for place, entrant in enumerate(ranked, start=1):
        one = sums[entrant]
        shares = bool(rows) and (entrant in out, order.ranks[entrant]) == (before in out, order.ranks[before])
        rank = rows[-1].rank if shares else place
        rows.append(
            StandingsRow(
                entrant,
                bots[entrant],
                rank,
                order.points[entrant],
                one.played,
                one.won,
                one.drawn,
                one.faults,
                disqualified=out.get(entrant, ""),
                tie_breaks=tuple(zip(order.criteria, order.values[entrant], strict=True)),
            )
        )
        before = entrant
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
    sums: Sequence[_Sum],
    counted: Mapping[RankedSeats, Sums],
    plan: Plan | None,
    history: History | None,
) -> _Order:
    points = [one.points for one in sums]
    none: list[tuple[Fraction, ...]] = [()] * len(sums)
    if plan is None:
        return _Order(shared_ranks([(each,) for each in points]), points, (), none)
    own = formats.ranking(plan, history or History())
    if own is not None:
        if own.criteria[0] == "points":
            shown = [values[0] for values in own.values]
            return _Order(own.ranks, shown, own.criteria[1:], [values[1:] for values in own.values])
        return _Order(own.ranks, points, own.criteria, own.values)
    if plan.settings.get("rank_by") == "mean":
        points = [one.points / max(1, one.played) for one in sums]
    if plan.settings.get("ties") == "head_to_head":
        among = _head_to_head(points, counted)
        keys = list(zip(points, among, strict=True))
        return _Order(shared_ranks(keys), points, ("head_to_head",), [(each,) for each in among])
    return _Order(shared_ranks([(each,) for each in points]), points, (), none)


def _head_to_head(points: Sequence[Fraction], counted: Mapping[RankedSeats, Sums]) -> list[Fraction]:
    """What each entrant earned in the matches in which all have as many points as it has in all."""
    among = [Fraction(0)] * len(points)
    for seating, played in counted.items():
        if len({points[entrant] for entrant in seating.seats}) == 1:
            for entrant, earned in zip(seating.seats, played.points, strict=True):
                among[entrant] += earned
    return among


def to_csv(rows: Iterable[StandingsRow]) -> str:
    """standings.csv: one line a bot under a line of names, exact numbers as text ("7/2"), tie-breaks last.

    Bots' names and reasons are escaped for spreadsheets, because authors and bots chose them.
    """
    rows = list(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*CSV_FIELDS, *(name for row in rows[:1] for name, _value in row.tie_breaks)])
    for row in rows:
        fields = [getattr(row, name) for name in CSV_FIELDS]
        facts = [escape_formula(each) if isinstance(each, str) else each for each in fields]
        writer.writerow([*facts, *(value for _name, value in row.tie_breaks)])
    return text.getvalue()


def to_data(rows: Iterable[StandingsRow]) -> list[dict[str, str | int]]:
    """The same for JSON: points as exact text, like the scores of a match."""
    return [
        {name: getattr(row, name) for name in CSV_FIELDS}
        | {"points": str(row.points)}
        | {name: str(value) for name, value in row.tie_breaks}
        for row in rows
    ]


@dataclass
class _Sum:
    points: Fraction = field(default_factory=Fraction)
    played: int = 0
    won: int = 0
    drawn: int = 0
    faults: int = 0


def _count(seating: RankedSeats, played: Sums, sums: Sequence[_Sum]) -> None:
    alone = seating.has_one_winner
    for entrant, rank, earned in zip(seating.seats, seating.ranks, played.points, strict=True):
        one = sums[entrant]
        one.points += earned
        one.played += played.matches
        one.won += played.matches * (rank == 1 and alone)
        one.drawn += played.matches * (rank == 1 and not alone)
