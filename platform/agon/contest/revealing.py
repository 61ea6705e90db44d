"""In which steps the places of a tournament are revealed: from the last to the first, shared ones at once."""

from collections.abc import Sequence
from itertools import groupby


def steps(ranks: Sequence[int]) -> list[int]:
    """How many places are revealed after each step. ranks: of all places, best first."""
    result, shown = [], 0
    for _rank, shared in groupby(reversed(ranks)):
        shown += len(list(shared))
        result.append(shown)
    return result


def next_step(ranks: Sequence[int], revealed: int, hidden: int | None = None) -> int | None:
    """How many places are revealed after the next step; None if all are.

    revealed: how many are. hidden: if not None, as many steps at once as keep at least so many places hidden;
    one step at least.
    """
    later = [step for step in steps(ranks) if step > revealed]
    if not later:
        return None
    skipped = [step for step in later if hidden is not None and step <= len(ranks) - hidden]
    return skipped[-1] if skipped else later[0]
