"""Standings: each entrant's place after these results. Pure; the command line, the site and `verify` call it.

How a match becomes points is the tournament's choice (contest.points). An entrant that sits in several seats
of one match gets what each of them earned.

A fault whose policy is `disqualify` puts its bot out of the tournament: none of its matches counts, those
already played included, and it is listed last with the reason (rules/honest_rps.md section 6.3). So does a
stop by the site while the tournament runs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from contest.points import POINTS, Result
from games.core.match_log import MatchLog


class StandingsRow(NamedTuple):
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


def result_of(log: MatchLog, entrants: Sequence[int]) -> Result:
    """The result of a match whose seats were taken by these entrants (numbers, by seat)."""
    return Result(tuple(entrants), tuple(map(Fraction, log.scores)), log.ranks, log.faults)


def compute_standings(
    bots: Sequence[str],
    results: Iterable[Result],
    points: str,
    disqualifying: Collection[str] = (),
    stopped: Mapping[int, str] = MappingProxyType({}),
) -> tuple[StandingsRow, ...]:
    """The table, best first; equal points share a rank and keep entry order.

    bots: names in entry order. points: a key of POINTS. disqualifying: kinds of fault that put a bot out.
    stopped: entrants' numbers, with the reason, that the site has put out.
    Raises ValueError for an unknown way of giving points.
    """
    if points not in POINTS:
        raise ValueError(f"points: expected one of {', '.join(POINTS)}, got {points!r}")
    results = list(results)
    out = _disqualified(results, disqualifying) | dict(stopped)
    sums = [_Sum() for _ in bots]
    for result in results:
        for fault in result.faults:
            sums[result.seats[fault.seat]].faults += 1
        if out.keys().isdisjoint(result.seats):
            _count(result, POINTS[points].of(result), sums)
    ranked = sorted(range(len(bots)), key=lambda n: (n in out, -sums[n].points))
    rows: list[StandingsRow] = []
    for place, entrant in enumerate(ranked, start=1):
        one = sums[entrant]
        shares = bool(rows) and (entrant in out, one.points) == (bool(rows[-1].disqualified), rows[-1].points)
        rank = rows[-1].rank if shares else place
        reason = out.get(entrant, "")
        rows.append(
            StandingsRow(
                entrant, bots[entrant], rank, one.points, one.played, one.won, one.drawn, one.faults, reason
            )
        )
    return tuple(rows)


def to_csv(rows: Iterable[StandingsRow]) -> str:
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


def to_data(rows: Iterable[StandingsRow]) -> list[dict[str, str | int]]:
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
    """The entrants that are out, each with its first disqualifying fault."""
    out: dict[int, str] = {}
    for result in results:
        for fault in result.faults:
            if fault.kind in kinds:
                out.setdefault(result.seats[fault.seat], fault.reason or fault.kind)
    return out


def _count(result: Result, points: Sequence[Fraction], sums: Sequence[_Sum]) -> None:
    alone = result.has_one_winner
    for entrant, earned, rank in zip(result.seats, points, result.ranks, strict=True):
        one = sums[entrant]
        one.points += earned
        one.played += 1
        one.won += rank == 1 and alone
        one.drawn += rank == 1 and not alone
