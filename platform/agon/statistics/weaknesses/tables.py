"""Results of parts of a bot's matches beside what was expected there: all parts, weak or not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agon.statistics.ratings.scale import WIDTH
from agon.statistics.weaknesses.findings import CORRELATION
from agon.statistics.weaknesses.groups import is_slow
from agon.statistics.weaknesses.outcomes import Outcome, PairedComparison


class PartLine(NamedTuple):
    """A line about some matches: the share that the bot got and the expected share, both from 0 to 1.

    low, high: the 95 % interval of `share - expected`, of this line alone; ratings are taken as known.
    """

    matches: int
    share: float
    expected: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """The share won, less the expected one."""
        return self.share - self.expected


class FaultLine(NamedTuple):
    """Matches with a fault of this kind. first, last: the steps between which half of these faults were."""

    kind: str
    first: int
    last: int
    line: PartLine


class Tables(NamedTuple):
    """opponents: by bot. seats: by seat, from 0. lengths: (least, most steps, line)."""

    whole: PartLine
    opponents: dict[int, PartLine]
    seats: dict[int, PartLine]
    lengths: list[tuple[int, int | None, PartLine]]
    faults: list[FaultLine]
    slow: PartLine | None


def tables(outcomes: Sequence[Outcome], bounds: Sequence[int]) -> Tables | None:
    """All tables; None without a match. bounds: the most steps of all parts by length but the last."""
    if not outcomes:
        return None
    opponents = sorted({each.opponent for outcome in outcomes for each in outcome.comparisons})
    slow = [each for each in outcomes if is_slow(each)]
    return Tables(
        whole=_line(outcomes),
        opponents={bot: _against(outcomes, bot) for bot in opponents},
        seats={
            seat: _line([each for each in outcomes if each.seat == seat])
            for seat in sorted({each.seat for each in outcomes})
        },
        lengths=_lengths(outcomes, bounds),
        faults=_faults(outcomes),
        slow=_line(slow) if slow else None,
    )


def _line(outcomes: Iterable[Outcome]) -> PartLine:
    return _of([each.comparisons for each in outcomes])


def _against(outcomes: Iterable[Outcome], bot: int) -> PartLine:
    chosen = ([each for each in outcome.comparisons if each.opponent == bot] for outcome in outcomes)
    return _of([each for each in chosen if each])


def _of(matches: Sequence[Sequence[PairedComparison]]) -> PartLine:
    """The variance is that of agon.statistics.weaknesses.findings, without the ratio that the bot's results
    show. So is the continuity correction, without which one match could look significant.
    """
    size = sum(map(len, matches))
    variance = 0.0
    for match in matches:
        spread = sum(each.expected * (1 - each.expected) for each in match)
        variance += spread * (1 + (len(match) - 1) * CORRELATION)
    share = math.fsum(each.share for match in matches for each in match) / size
    expected = math.fsum(each.expected for match in matches for each in match) / size
    half = (WIDTH * math.sqrt(variance) + 0.5) / size
    low, high = max(share - half, 0.0) - expected, min(share + half, 1.0) - expected
    return PartLine(len(matches), share, expected, low, high)


def _lengths(outcomes: Sequence[Outcome], bounds: Sequence[int]) -> list[tuple[int, int | None, PartLine]]:
    found = []
    least = 0
    for most in [*sorted(set(bounds)), None]:
        chosen = [each for each in outcomes if least <= each.steps and (most is None or each.steps <= most)]
        if chosen:
            found.append((least, most, _line(chosen)))
        least = 0 if most is None else most + 1
    return found


def _faults(outcomes: Sequence[Outcome]) -> list[FaultLine]:
    kinds = sorted({fault.kind for each in outcomes for fault in each.faults})
    found = []
    for kind in kinds:
        made = [each for each in outcomes if any(fault.kind == kind for fault in each.faults)]
        steps = sorted(fault.step for each in made for fault in each.faults if fault.kind == kind)
        found.append(FaultLine(kind, steps[len(steps) // 4], steps[(len(steps) * 3 - 1) // 4], _line(made)))
    return sorted(found, key=lambda each: -each.line.matches)
