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


def to_watch(outcomes: Sequence[Outcome]) -> list[ToWatch]:
    """Choose at most MOST_SUGGESTED matches.

    The two worst upsets, the worst one with a fault, the two closest, then more upsets.
    """
    lost = [outcome for outcome in outcomes if outcome.share < outcome.expected]
    upsets = sorted(
        (outcome for outcome in lost if not outcome.faults),
        key=lambda outcome: outcome.share - outcome.expected,
    )
    faulty = sorted(
        (outcome for outcome in lost if outcome.faults), key=lambda outcome: outcome.share - outcome.expected
    )
    close = sorted(
        (outcome for outcome in lost if outcome.share < 0.5), key=lambda outcome: abs(outcome.expected - 0.5)
    )
    chosen: dict[int, Why] = {}
    for candidates, count, why in (
        (upsets, 2, Why.UPSET),
        (faulty, 1, Why.FAULT),
        ([outcome for outcome in close if abs(outcome.expected - 0.5) <= CLOSE], 2, Why.CLOSE),
        (upsets, MOST_SUGGESTED, Why.UPSET),
    ):
        fresh = [outcome.match for outcome in candidates if outcome.match not in chosen]
        chosen |= dict.fromkeys(fresh[: min(count, MOST_SUGGESTED - len(chosen))], why)
    return [ToWatch(match, why) for match, why in chosen.items()]
