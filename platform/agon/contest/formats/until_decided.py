"""Until decided, for games of 2 seats or more: balanced blocks until the prize places are separated.

In each block (agon.contest.formats.balanced) every entrant plays once in every seat, so the sums of points
over a block compare all entrants fairly. After 6 blocks, and whenever there are a quarter more, the results
are tested (a look). Entrant a is separated from b if the mean of their differences by block is significantly
positive, by Student's t over blocks. The total error is divided: look j gets the fraction 6 / (pi j)^2 of it,
and within a look each comparison of a prize place with an entrant below it gets an equal part (Bonferroni). A
prize place is decided when its entrant is separated from all below it. The tournament ends when all prize
places are decided, or when the blocks up to the next look would exceed the budget.

Guarantees. The probability that any prize place is given to a bot whose expected points are not above those
of a bot placed below it is at most 1 - confidence, provided that means over a block are nearly normally
distributed; equal bots share places. docs/reference/tournaments.md has measurements. An entrant that leaves
is no longer compared; later blocks consist of those that are left.

The arithmetic is exact (fractions, and quantiles rounded to 1/1000), so that every machine makes the same
decisions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import atan, cos, pi, sin, sqrt

from agon.contest.formats import balanced
from agon.contest.formats.base import BadFormat, Format, History, Plan, Ranking, Seating, Setting, Value
from games.core.story import mark

_ = mark
FIRST_LOOK = 6  # blocks
PRIZES = Setting("prizes", mark("Prize places"), 1, 1, 100)
CONFIDENCE = Setting("confidence", mark("Confidence (%)"), 95, 50, 99)
BUDGET = Setting("budget", mark("Matches at most"), 2_000, 1, 1_000_000)


def fitted(entrants: int, seats: int, settings: Mapping[str, Value]) -> Mapping[str, Value]:
    """At least as many matches as the first look takes."""
    return {**settings, BUDGET.name: max(int(settings[BUDGET.name]), FIRST_LOOK * entrants)}


def looks(most: int) -> list[int]:
    """The numbers of blocks after which the results are tested. most: blocks that the budget allows."""
    numbers = []
    blocks = FIRST_LOOK
    while blocks < most:
        numbers.append(blocks)
        blocks += max(1, blocks // 4)
    return [*numbers, most]


def _most_blocks(plan: Plan) -> int:
    return plan.number("budget") // plan.entrants


def _pair(plan: Plan, history: History) -> list[Seating] | None:
    """All blocks up to the next look."""
    times = looks(_most_blocks(plan))
    if history.number == len(times) or (history.number and _is_decided(plan, history)):
        return None
    present = _present(plan, history, history.number)
    if len(present) < max(2, plan.seats):
        return None
    return [seating for block in _blocks(plan, times, history.number, present) for seating in block]


def _present(plan: Plan, history: History, round: int) -> list[int]:
    return sorted(set(range(plan.entrants)) - history.away(round))


def _blocks(plan: Plan, times: Sequence[int], round: int, present: Sequence[int]) -> list[list[Seating]]:
    """The blocks of a round, of those who are present."""
    field = replace(plan, entrants=len(present))
    first = times[round - 1] if round else 0
    return [
        [tuple(present[place] for place in seating) for seating in balanced.block(field, number)]
        for number in range(first, times[round])
    ]


def _is_decided(plan: Plan, history: History) -> bool:
    order, below = _order(plan, history)
    return all(not below[place] for place in range(min(plan.number("prizes"), len(order))))


def _order(plan: Plan, history: History) -> tuple[list[int], list[list[int]]]:
    """The present entrants by their means, and for each place the later ones it is not separated from.

    Places beyond the prizes are not tested.
    """
    order = _present(plan, history, history.number)
    values = _by_block(plan, history, order)
    order.sort(key=lambda entrant: (-sum(values[entrant], Fraction(0)), entrant))
    prizes = min(plan.number("prizes"), len(order))
    compared = sum(len(order) - 1 - place for place in range(prizes))
    blocks = len(values[order[0]]) if order else 0
    if blocks < 2:
        return order, [list(range(place + 1, len(order))) for place in range(prizes)]
    least = quantile(_level(plan, history.number, compared), blocks - 1)
    return order, [
        [
            later
            for later in range(place + 1, len(order))
            if not _is_above(values[order[place]], values[order[later]], least)
        ]
        for place in range(prizes)
    ]


def _level(plan: Plan, look: int, compared: int) -> float:
    """The error allowed to one comparison in this look (from 1)."""
    return (1 - plan.number("confidence") / 100) * 6 / (pi * look) ** 2 / max(1, compared)


def _is_above(own: Sequence[Fraction], others: Sequence[Fraction], least: Fraction) -> bool:
    """Whether the mean of the differences is positive: Student's t is above `least`."""
    differences = [mine - theirs for mine, theirs in zip(own, others, strict=True)]
    count = len(differences)
    mean = sum(differences, Fraction(0)) / count
    if mean <= 0:
        return False
    variance = sum(((difference - mean) ** 2 for difference in differences), Fraction(0)) / (count - 1)
    return mean**2 * count > least**2 * variance


@lru_cache(maxsize=1000)
def quantile(level: float, freedom: int) -> Fraction:
    """The upper quantile of Student's t, rounded up to 1/1000."""
    low, high = 0, 1000
    while _beyond(high / 1000, freedom) > level:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _beyond(middle / 1000, freedom) > level else (low, middle)
    return Fraction(high, 1000)


def _beyond(t: float, freedom: int) -> float:
    """The probability that Student's t exceeds t >= 0 (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    term = cos(angle) if freedom % 2 else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= cos(angle) ** 2 * (step - 1) / step
        total += term
    inside = 2 / pi * (angle + sin(angle) * total) if freedom % 2 else sin(angle) * total
    return (1 - inside) / 2


def _by_block(plan: Plan, history: History, entrants: Sequence[int]) -> dict[int, list[Fraction]]:
    """Each entrant's mean points in each block, over the matches with a result.

    A block without any result compares no one: it is still to be played.
    """
    values: dict[int, list[Fraction]] = {entrant: [] for entrant in entrants}
    for number, played_round in enumerate(history.rounds):
        size = len(_present(plan, history, number))
        for first in range(0, len(played_round.outcomes), size):
            earned: dict[int, list[Fraction]] = {entrant: [] for entrant in entrants}
            block = played_round.outcomes[first : first + size]
            if not any(outcome.points for outcome in block):
                continue
            for outcome in block:
                for entrant, points in zip(outcome.seats, outcome.points, strict=False):
                    if entrant in earned:
                        earned[entrant].append(points)
            for entrant, points_of in earned.items():
                values[entrant].append(sum(points_of, Fraction(0)) / max(1, len(points_of)))
    return values


def _rank(plan: Plan, history: History) -> Ranking:
    """Rank by the mean points; prize places that are not separated are shared."""
    order, not_separated = _order(plan, history)
    means = _by_block(plan, history, range(plan.entrants))
    values = [sum(means[e], Fraction(0)) / max(1, len(means[e])) for e in range(plan.entrants)]
    ranks = [plan.entrants] * plan.entrants
    shared_until = 0
    for place, entrant in enumerate(order):
        before = order[place - 1]
        if place and (place <= shared_until or values[entrant] == values[before]):
            ranks[entrant] = ranks[before]
        else:
            ranks[entrant] = place + 1
        if place < len(not_separated) and not_separated[place]:
            shared_until = max(shared_until, not_separated[place][-1])
    return Ranking(tuple(ranks), ("mean",), tuple((value,) for value in values))


def _count(plan: Plan) -> int:
    return _most_blocks(plan) * plan.entrants


def _check(plan: Plan) -> None:
    least = FIRST_LOOK * plan.entrants
    if plan.number("budget") < least:
        raise BadFormat(
            "budget",
            _("expected %(least)d or more for %(entrants)d entrants, got %(got)d"),
            least=least,
            entrants=plan.entrants,
            got=plan.number("budget"),
        )


FORMAT = Format(
    "until_decided",
    mark("Until decided"),
    mark(
        "Balanced blocks are played until the prize places are separated with this confidence, or the "
        "matches are used up. Places that cannot be separated are shared."
    ),
    2,
    64,
    _pair,
    _count,
    (PRIZES, CONFIDENCE, BUDGET),
    needs_results=True,
    takes_rounds=False,
    rank=_rank,
    check=_check,
    fitted=fitted,
    decided_by=mark(
        "Mean points decide. Prize places that are not separated with the stated confidence are shared."
    ),
    follows=mark(
        "When they are over, more are played, until the prize places are separated or no matches are left."
    ),
)
