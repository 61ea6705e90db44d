"""Parts of a bot's results in which it may be weak: an opponent, a seat, a length, a fault, a lack of time.

A group is a set of comparisons: a mask over those of all matches, in order. All but the groups of opponents
hold whole matches. Time-outs are no kind of fault here: a bot that is too slow often answers just in time,
too, so they form one group with the answers that took most of the limit.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agon.statistics.weaknesses.outcomes import Outcome

SLOW = 0.9  # of the limit, from which on an answer was nearly too late
QUARTERS = 4
TIMEOUT = "timeout"  # games.core.faults.FaultKind

Mask: TypeAlias = NDArray[np.bool_]


class Kind(StrEnum):
    """What the matches of a group have in common."""

    OPPONENT = "opponent"
    SEAT = "seat"
    SHORT = "short"  # matches of so many steps at most
    LONG = "long"  # matches of so many steps at least
    FAULT = "fault"
    TIME = "time"


class Group(NamedTuple):
    """value: the opponent, the seat, the number of steps, the kind of the fault; 0 for TIME."""

    kind: Kind
    value: int | str
    mask: Mask


def groups(outcomes: Sequence[Outcome], bounds: Sequence[int]) -> list[Group]:
    """All groups of these outcomes, none of them empty; of equal ones only the first.

    bounds: the most steps of all parts by length but the last; of these parts, the first and the last are
    groups, and so are both halves.
    """
    sizes = [len(outcome.comparisons) for outcome in outcomes]
    by_mask: dict[bytes, Group] = {}
    for kind, value, mask in [*_opponents(outcomes), *_of_matches(outcomes, sizes, bounds)]:
        if mask.any():
            by_mask.setdefault(mask.tobytes(), Group(kind, value, mask))
    return list(by_mask.values())


def is_slow(outcome: Outcome) -> bool:
    """Whether an answer was too late, or nearly."""
    late = any(fault.kind == TIMEOUT for fault in outcome.faults)
    return late or (outcome.time is not None and outcome.time >= SLOW)


def quarters(lengths: Iterable[int]) -> list[int]:
    """The largest lengths of the first, second and third quarter of these."""
    ordered = sorted(lengths)
    if len(ordered) < QUARTERS:
        return []
    return [ordered[len(ordered) * part // QUARTERS - 1] for part in range(1, QUARTERS)]


def _opponents(outcomes: Sequence[Outcome]) -> Iterator[tuple[Kind, int, Mask]]:
    opponents = np.array([comparison.opponent for outcome in outcomes for comparison in outcome.comparisons])
    for opponent in sorted(set(opponents.tolist())):
        yield Kind.OPPONENT, opponent, opponents == opponent


def _of_matches(
    outcomes: Sequence[Outcome], sizes: Sequence[int], bounds: Sequence[int]
) -> Iterator[tuple[Kind, int | str, Mask]]:
    def matches(chosen: Iterable[bool]) -> Mask:
        return np.repeat(np.fromiter(chosen, dtype=np.bool_, count=len(outcomes)), sizes)

    made = [{fault.kind for fault in outcome.faults} for outcome in outcomes]
    for kind in sorted(set().union(*made) - {TIMEOUT}):
        yield Kind.FAULT, kind, matches(kind in kinds for kinds in made)
    yield Kind.TIME, 0, matches(map(is_slow, outcomes))
    for seat in sorted({outcome.seat for outcome in outcomes}):
        yield Kind.SEAT, seat, matches(outcome.seat == seat for outcome in outcomes)
    ordered = sorted(set(bounds))
    middle = [ordered[len(ordered) // 2]] if len(ordered) > 2 else []
    for steps in sorted({*ordered[:1], *middle}):
        yield Kind.SHORT, steps, matches(outcome.steps <= steps for outcome in outcomes)
    for steps in sorted({*middle, *ordered[-1:]}):
        yield Kind.LONG, steps + 1, matches(outcome.steps > steps for outcome in outcomes)
