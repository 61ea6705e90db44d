"""Which matches of a bot are worth watching."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from agon.statistics.weaknesses.outcomes import Outcome

MOST_SUGGESTED = 5
CLOSE = 0.1  # the share by which a lost match was nearly as expected, at most


class Why(StrEnum):
    UPSET = "upset"  # lost, against weaker ones
    FAULT = "fault"  # with a fault, and less than expected
    CLOSE = "close"  # lost, against equals


class ToWatch(NamedTuple):
    match: int
    why: Why


class _Played(NamedTuple):
    """A match with what its outcome computes."""

    outcome: Outcome
    share: float
    expected: float

    @property
    def course(self) -> tuple[object, ...]:
        """Equal for repeats of a match by deterministic bots."""
        results = tuple((compared.opponent, compared.share) for compared in self.outcome.comparisons)
        return self.outcome.seat, self.outcome.steps, results


def to_watch(outcomes: Sequence[Outcome]) -> list[ToWatch]:
    """Choose at most MOST_SUGGESTED matches.

    The two worst upsets, the worst one with a fault, the two closest, then more upsets. Of matches that look
    like repeats, because the same bots ended alike after as many steps, one is enough.
    """
    played = [_Played(outcome, outcome.share, outcome.expected) for outcome in outcomes]
    lost = [match for match in played if match.share < match.expected]
    upsets = sorted((match for match in lost if not match.outcome.faults), key=_surprise)
    faulty = sorted((match for match in lost if match.outcome.faults), key=_surprise)
    close = [match for match in lost if match.share < 0.5 and abs(match.expected - 0.5) <= CLOSE]
    close.sort(key=lambda match: abs(match.expected - 0.5))
    chosen: dict[int, Why] = {}
    seen = set()
    for candidates, count, why in (
        (upsets, 2, Why.UPSET),
        (faulty, 1, Why.FAULT),
        (close, 2, Why.CLOSE),
        (upsets, MOST_SUGGESTED, Why.UPSET),
    ):
        most = min(len(chosen) + count, MOST_SUGGESTED)
        for match in candidates:
            if len(chosen) < most and match.course not in seen:
                chosen[match.outcome.match] = why
                seen.add(match.course)
    return [ToWatch(match, why) for match, why in chosen.items()]


def _surprise(match: _Played) -> float:
    return match.share - match.expected
