"""Which worker plays differently from the others? Pure; pipeline.watching feeds it and acts on the answer.

A worker whose core is slow or shared, or whose host is broken, decides matches: bots that think long lose by
time-outs there, and others find less within their time. The rule compares each worker with all others:

1. A match is one observation, of one of its seats: matches are independent of each other, seats of one match
   are not. Which seat depends on the match's number alone.
2. Workers are compared within the matches of one submission, and these comparisons are added up. So a worker
   that happened to play slower, weaker or less reliable bots does not differ.
3. Three things are compared: the time of an answer (the median of the match), how often the seat won, and
   how often it timed out. Times are the sensitive one: they show in every match, the others only where a bot
   comes near its limit.
4. Times: the stratified rank sum test (van Elteren 1960), which assumes nothing of how times are distributed.
   The worker's times are divided by TOLERANCE first. So the test asks whether it is slower by more than
   that, since with enough matches no two cores are alike. A faster worker costs no bot anything.
5. Wins and time-outs: the exact conditional test of Cochran-Mantel-Haenszel tables (Birch 1964), since
   time-outs are too few for a normal approximation. Wins are tested both ways.
6. The rule is applied again and again to data of which a part is new. Look k may raise a false alarm with a
   probability of ALPHA / (k (k + 1)), divided equally among its tests (Bonferroni). These add up to ALPHA, so
   the probability of any false alarm, however long a competition runs, is at most that. No independence of
   looks or tests is assumed.

Of several workers that differ the one with the smallest probability is named. The others are compared again
without it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import NamedTuple

ALPHA = 0.01
TOLERANCE = 1.1
LEAST = 20  # matches of a worker that can be compared, before it is judged


class Kind(StrEnum):
    SLOWER = "slower"
    TIMEOUTS = "timeouts"
    WINS_MORE = "wins more"
    WINS_LESS = "wins less"


class Observation(NamedTuple):
    """One seat of a finished match.

    bot: what was played there. seconds: the median time of its answers; None where it cannot be compared.
    """

    match: int
    worker: str
    bot: Hashable
    seconds: float | None
    won: bool
    timed_out: bool


@dataclass(frozen=True)
class Finding:
    """How one worker differs from the others.

    own, others: the factor by which its answers take longer, and 1; or how often it happened in its matches,
    and how often was expected. matches: its matches that were compared. chance: of a difference like this by
    accident.
    """

    worker: str
    kind: Kind
    own: float
    others: float
    matches: tuple[int, ...]
    chance: float


def allowed_chance(look: int, workers: int) -> float:
    """How small the chance of a finding has to be. look: from 1. workers: that are compared."""
    return ALPHA / (look * (look + 1)) / (workers * len(Kind))


def find_odd_worker(seen: Sequence[Observation], look: int) -> Finding | None:
    """The worker that differs most from the others, if one differs. look: which look this is, from 1."""
    workers = sorted({each.worker for each in seen})
    if len(workers) < 2:
        return None
    found = [finding for worker in workers for finding in _compare(worker, seen)]
    likely = allowed_chance(look, len(workers))
    return min(
        (finding for finding in found if finding.chance <= likely),
        key=lambda finding: (finding.chance, finding.worker),
        default=None,
    )


def _compare(worker: str, seen: Sequence[Observation]) -> Iterable[Finding]:
    timed = _strata(worker, [each for each in seen if each.seconds])
    if _size(timed) >= LEAST:
        chance = _chance_of_ranks(timed)
        yield Finding(worker, Kind.SLOWER, _slowdown(timed), 1.0, _matches(timed), chance)
    strata = _strata(worker, seen)
    if _size(strata) < LEAST:
        return
    matches = _matches(strata)
    timeouts = _count(strata, lambda each: each.timed_out)
    yield Finding(worker, Kind.TIMEOUTS, timeouts.own, timeouts.expected, matches, timeouts.or_more)
    wins = _count(strata, lambda each: each.won)
    yield Finding(worker, Kind.WINS_MORE, wins.own, wins.expected, matches, wins.or_more)
    yield Finding(worker, Kind.WINS_LESS, wins.own, wins.expected, matches, wins.or_less)


class _Stratum(NamedTuple):
    """The matches of one submission: those of the worker, and those of all others."""

    own: list[Observation]
    others: list[Observation]


def _strata(worker: str, seen: Iterable[Observation]) -> list[_Stratum]:
    """Where there is something to compare."""
    by_bot: dict[Hashable, _Stratum] = defaultdict(lambda: _Stratum([], []))
    for each in seen:
        by_bot[each.bot][each.worker != worker].append(each)
    return [stratum for stratum in by_bot.values() if stratum.own and stratum.others]


def _size(strata: Collection[_Stratum]) -> int:
    return sum(len(stratum.own) for stratum in strata)


def _matches(strata: Collection[_Stratum]) -> tuple[int, ...]:
    return tuple(sorted(each.match for stratum in strata for each in stratum.own))


def _seconds(observations: Iterable[Observation]) -> list[float]:
    return [each.seconds for each in observations if each.seconds is not None]


def _slowdown(strata: Collection[_Stratum]) -> float:
    """The median ratio of the worker's times to the median time of the others with the same bot."""
    ratios = []
    for stratum in strata:
        usual = median(_seconds(stratum.others))
        ratios += [seconds / usual for seconds in _seconds(stratum.own)]
    return median(ratios)


def _chance_of_ranks(strata: Collection[_Stratum]) -> float:
    """Van Elteren's test of the times, the worker's divided by TOLERANCE: of ranks as high as its own."""
    above = variance = 0.0
    for stratum in strata:
        own = [seconds / TOLERANCE for seconds in _seconds(stratum.own)]
        others = _seconds(stratum.others)
        size = len(own) + len(others)
        ranks, ties = _midranks([*own, *others])
        weight = 1 / (size + 1)
        above += weight * (sum(ranks[: len(own)]) - len(own) * (size + 1) / 2)
        spread = (size**3 - size - ties) / (12 * size * (size - 1))
        variance += weight**2 * len(own) * len(others) * spread
    return 1.0 if variance <= 0 else math.erfc(above / math.sqrt(2 * variance)) / 2


def _midranks(values: Sequence[float]) -> tuple[list[float], int]:
    """The rank of each value, shared by equal ones; and the sum of t^3 - t over groups of t equal ones."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    ties = start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        ties += (end - start) ** 3 - (end - start)
        start = end
    return ranks, ties


class _Count(NamedTuple):
    """How often something happened in a worker's matches; the chances of so often or more, and or less."""

    own: int
    expected: float
    or_more: float
    or_less: float


def _count(strata: Collection[_Stratum], happened: Callable[[Observation], bool]) -> _Count:
    """Given how often it happened with each bot on all workers together: a sum of hypergeometric counts."""
    chances = [1.0]
    own, expected = 0, 0.0
    for stratum in strata:
        here = sum(map(happened, stratum.own))
        often = here + sum(map(happened, stratum.others))
        size = len(stratum.own) + len(stratum.others)
        own += here
        expected += often * len(stratum.own) / size
        if 0 < often < size:
            chances = _convolve(chances, _hypergeometric(size, often, len(stratum.own)))
        else:  # it happened never, or always: nothing is left to chance
            chances = [0.0] * (often and len(stratum.own)) + chances
    return _Count(own, expected, min(1.0, sum(chances[own:])), min(1.0, sum(chances[: own + 1])))


def _hypergeometric(size: int, often: int, drawn: int) -> list[float]:
    """The chance of each number of the `often` among the `drawn`, from 0 on."""
    ways = math.comb(size, drawn)
    least = max(0, drawn + often - size)
    found = [
        math.comb(often, n) * math.comb(size - often, drawn - n) / ways
        for n in range(least, min(often, drawn) + 1)
    ]
    return [0.0] * least + found


def _convolve(one: Sequence[float], other: Sequence[float]) -> list[float]:
    total = [0.0] * (len(one) + len(other) - 1)
    for at, chance in enumerate(one):
        if chance:
            for by, each in enumerate(other):
                total[at + by] += chance * each
    return total
