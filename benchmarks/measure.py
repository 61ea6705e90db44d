"""Measures two or more sides in turn, and reports the ratio of two.

Sides take turns, slice by slice (A B B A A B ...), on the same processor, so that other load on the machine
affects them equally. Each ratio is that of two adjacent slices; the figure is the median of these ratios, and
its spread their interquartile range.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

Side = Callable[[int], float]  # does the n-th slice of the work, and returns the number of units done


@dataclass(frozen=True)
class Line:
    """A line of the table. met: whether the target is met; None if there is no target."""

    what: str
    figure: str
    spread: str
    target: str
    met: bool | None
    ours: str
    theirs: str


@contextmanager
def one_core() -> Iterator[None]:
    """Within the block, this process and every process that it starts share one core, the last one."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def interleave(sides: Sequence[Side], slices: int) -> list[list[float]]:
    """Units per second of each side in each slice.

    One more slice comes first, to warm up, and is not counted.
    """
    for side in sides:
        side(0)
    rates: list[list[float]] = [[] for _ in sides]
    for number in range(slices):
        order = range(len(sides)) if number % 2 == 0 else reversed(range(len(sides)))
        for place in order:
            began = time.perf_counter()
            units = sides[place](number)
            rates[place].append(units / (time.perf_counter() - began))
    return rates


def of_matches(count: int, play: Callable[[int], object], units: int = 0) -> Side:
    """A side whose n-th slice is the n-th `count` matches. play: gets the number of a match.

    units: of each match; 0: `play` returns them.
    """

    def side(number: int) -> float:
        done = [play(match) for match in range(number * count, (number + 1) * count)]
        return units * count or sum(result for result in done if isinstance(result, int))

    return side


def p95(values: Sequence[float]) -> float:
    """The 95th percentile (nearest rank)."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def at_least(
    what: str, target: float | None, ours: Sequence[float], theirs: Sequence[float], unit: str
) -> Line:
    """How many times as fast we are. target: the least that it may be; None if it is only reported."""
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    ratio = statistics.median(ratios)
    return Line(
        what,
        f"{ratio:.2f}x",
        spread(ratios, ".2f"),
        "" if target is None else f">= {target:g}x",
        None if target is None else ratio >= target,
        f"{number(statistics.median(ours))} {unit}/s",
        f"{number(statistics.median(theirs))} {unit}/s",
    )


def within(
    what: str, target: float | None, ours: Sequence[float], theirs: Sequence[float], unit: str
) -> Line:
    """How many times as long we take. target: the most that it may be; None if it is only reported."""
    line = at_least(what, None, theirs, ours, unit)
    ratio = statistics.median(their / our for our, their in zip(ours, theirs, strict=True))
    return replace(
        line,
        target="" if target is None else f"<= {target:g}x",
        met=None if target is None else ratio <= target,
        ours=line.theirs,
        theirs=line.ours,
    )


def at_most(what: str, target: float | None, amounts: Sequence[float], unit: str, theirs: str = "") -> Line:
    """The median of an amount (ms, MiB). target: the most that it may be; None if it is only reported."""
    amount = statistics.median(amounts)
    return Line(
        what,
        f"{number(amount)} {unit}",
        spread(amounts, ".3g"),
        "" if target is None else f"<= {target:g} {unit}",
        None if target is None else amount <= target,
        "",
        theirs,
    )


def spread(values: Sequence[float], form: str) -> str:
    """The interquartile range of the values."""
    if len(values) < 2:
        return ""
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{low:{form}} - {high:{form}}"


def number(value: float) -> str:
    """The value with three significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
