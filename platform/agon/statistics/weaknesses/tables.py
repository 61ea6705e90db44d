"""Results of all parts of a bot's matches, weak or not, beside its level elsewhere."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from agon.statistics.weaknesses.evidence import PartBeside
from agon.statistics.weaknesses.findings import Parts
from agon.statistics.weaknesses.groups import Group, Kind, is_slow
from agon.statistics.weaknesses.outcomes import Outcome


class FaultLine(NamedTuple):
    """Matches with a fault of this kind. first, last: the steps between which half of these faults were."""

    kind: str
    first: int
    last: int
    line: PartBeside


class Tables(NamedTuple):
    """opponents: by bot. seats: by seat, from 0. lengths: (least, most steps, line)."""

    opponents: dict[int, PartBeside]
    seats: dict[int, PartBeside]
    lengths: list[tuple[int, int | None, PartBeside]]
    faults: list[FaultLine]
    slow: PartBeside | None


def tables(parts: Parts) -> Tables:
    outcomes = parts.outcomes
    met = np.array([comparison.opponent for outcome in outcomes for comparison in outcome.comparisons])
    slow = [is_slow(outcome) for outcome in outcomes]
    return Tables(
        opponents={
            bot: parts.difference(Group(Kind.OPPONENT, bot, met == bot)) for bot in sorted(set(met.tolist()))
        },
        seats={
            seat: _matches(parts, Kind.SEAT, (outcome.seat == seat for outcome in outcomes))
            for seat in sorted({outcome.seat for outcome in outcomes})
        },
        lengths=_lengths(parts),
        faults=_faults(parts),
        slow=_matches(parts, Kind.TIME, slow) if any(slow) else None,
    )


def _matches(parts: Parts, kind: Kind, chosen: Iterable[bool]) -> PartBeside:
    by_match = np.fromiter(chosen, dtype=np.bool_, count=len(parts.outcomes))
    return parts.difference(Group(kind, 0, by_match[parts.evidence.match]))


def _lengths(parts: Parts) -> list[tuple[int, int | None, PartBeside]]:
    """The parts by length, and both halves, which are groups, too."""
    bounds = sorted(set(parts.bounds))
    ranges = list(zip([0, *(bound + 1 for bound in bounds)], [*bounds, None], strict=True))
    if len(bounds) > 2:
        middle = bounds[len(bounds) // 2]
        ranges += [(0, middle), (middle + 1, None)]
    lengths = []
    for least, most in ranges:
        chosen = [
            least <= outcome.steps and (most is None or outcome.steps <= most) for outcome in parts.outcomes
        ]
        if any(chosen):
            lengths.append((least, most, _matches(parts, Kind.SHORT, chosen)))
    return lengths


def _faults(parts: Parts) -> list[FaultLine]:
    kinds = sorted({fault.kind for outcome in parts.outcomes for fault in outcome.faults})
    return sorted((_of_kind(parts, kind) for kind in kinds), key=lambda fault_line: -fault_line.line.matches)


def _of_kind(parts: Parts, kind: str) -> FaultLine:
    steps = sorted(_steps(parts.outcomes, kind))
    made = [any(fault.kind == kind for fault in outcome.faults) for outcome in parts.outcomes]
    line = _matches(parts, Kind.FAULT, made)
    return FaultLine(kind, steps[len(steps) // 4], steps[(len(steps) * 3 - 1) // 4], line)


def _steps(outcomes: Iterable[Outcome], kind: str) -> Iterable[int]:
    return (fault.step for outcome in outcomes for fault in outcome.faults if fault.kind == kind)
