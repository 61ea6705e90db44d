"""Standings: who is where after these results. Pure; the command line, the site and `verify` all call it.

How a match becomes points is the tournament's choice:

- `win`: 1 point for being alone in first place, nothing else (rules/samurai.md: more than one player with
  the maximum is a draw, nobody wins).
- `shared_win`: 1 point for everybody in first place, shared or not (rules/camel_up.md).
- `score`: the sum of the exact scores (rules/coup.md section 8, rules/honest_rps.md section 5).

An entrant that sits in several seats of one match gets what each of them earned.

A fault of a kind that the game's manifest answers with `disqualify` puts its bot out of the tournament: all
its matches, also those already played, count for nobody, and it is listed last with the reason
(rules/honest_rps.md section 6.3). So does a stop by the site, while the tournament ran.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from games.core.record import Fault, Record


class Result(NamedTuple):
    """What counts of one match: entrants' numbers, exact scores and ranks by seat, and the faults."""

    seats: tuple[int, ...]
    scores: tuple[Fraction, ...]
    ranks: tuple[int, ...]
    faults: tuple[Fault, ...] = ()


class Row(NamedTuple):
    """One line of the standings.

    entrant: its number in entry order. rank: ties share the better one. played, won, drawn: seats taken,
    seats alone in first place, seats that shared it. disqualified: "" or the reason.
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


_FORMULA = ("=", "+", "-", "@", "\t")
CSV_FIELDS = ("rank", "bot", "points", "played", "won", "drawn", "faults", "disqualified")


def result_of(record: Record, entrants: Sequence[int]) -> Result:
    """The result in a record whose seats were taken by these entrants (numbers, by seat)."""
    return Result(tuple(entrants), tuple(map(Fraction, record.scores)), record.ranks, record.faults)


def standings(
    bots: Sequence[str],
    results: Iterable[Result],
    points: str,
    disqualifying: Collection[str] = (),
    stopped: Mapping[int, str] = MappingProxyType({}),
) -> tuple[Row, ...]:
    """The table, best first; equal points share a rank and keep entry order.

    bots: names in entry order. points: a key of POINTS. disqualifying: kinds of fault that put a bot out.
    stopped: entrants' numbers, with the reason, that the site has put out.
    Raises ValueError for an unknown way of giving points.
    """
    if points not in POINTS:
        raise ValueError(f"points: expected one of {', '.join(POINTS)}, came {points!r}")
    results = list(results)
    out = _disqualified(results, disqualifying) | dict(stopped)
    sums = [_Sum() for _ in bots]
    for result in results:
        for fault in result.faults:
            sums[result.seats[fault.seat]].faults += 1
        if out.keys().isdisjoint(result.seats):
            _count(result, POINTS[points](result), sums)
    ranked = sorted(range(len(bots)), key=lambda n: (n in out, -sums[n].points))
    rows: list[Row] = []
    for place, entrant in enumerate(ranked, start=1):
        one = sums[entrant]
        shares = bool(rows) and (entrant in out, one.points) == (bool(rows[-1].disqualified), rows[-1].points)
        rank = rows[-1].rank if shares else place
        reason = out.get(entrant, "")
        rows.append(
            Row(entrant, bots[entrant], rank, one.points, one.played, one.won, one.drawn, one.faults, reason)
        )
    return tuple(rows)


def to_csv(rows: Iterable[Row]) -> str:
    """standings.csv: one line a bot under a line of names, exact numbers as text ("7/2").

    Words that a spreadsheet would take for a formula get an apostrophe: bots' authors chose them.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_FIELDS)
    for row in rows:
        writer.writerow([_no_formula(getattr(row, name)) for name in CSV_FIELDS])
    return text.getvalue()


def _no_formula(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def to_data(rows: Iterable[Row]) -> list[dict[str, str | int]]:
    """The same for JSON: points as exact text, like the scores of a match."""
    return [{name: getattr(row, name) for name in CSV_FIELDS} | {"points": str(row.points)} for row in rows]


@dataclass
class _Sum:
    points: Fraction = field(default_factory=Fraction)
    played: int = 0
    won: int = 0
    drawn: int = 0
    faults: int = 0


def _disqualified(results: Iterable[Result], kinds: Collection[str]) -> dict[int, str]:
    """Who is out and why: the first disqualifying fault of each entrant."""
    out: dict[int, str] = {}
    for result in results:
        for fault in result.faults:
            if fault.kind in kinds:
                out.setdefault(result.seats[fault.seat], fault.reason or fault.kind)
    return out


def _count(result: Result, points: Sequence[Fraction], sums: Sequence[_Sum]) -> None:
    alone = result.ranks.count(1) == 1
    for entrant, earned, rank in zip(result.seats, points, result.ranks, strict=True):
        one = sums[entrant]
        one.points += earned
        one.played += 1
        one.won += rank == 1 and alone
        one.drawn += rank == 1 and not alone


def _win(result: Result) -> list[Fraction]:
    alone = result.ranks.count(1) == 1
    return [Fraction(rank == 1 and alone) for rank in result.ranks]


def _shared_win(result: Result) -> list[Fraction]:
    return [Fraction(rank == 1) for rank in result.ranks]


def _score(result: Result) -> Sequence[Fraction]:
    return result.scores


POINTS: dict[str, Callable[[Result], Sequence[Fraction]]] = {
    "win": _win,
    "shared_win": _shared_win,
    "score": _score,
}
