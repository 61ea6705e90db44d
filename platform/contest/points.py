"""The rules by which a match gives points to its seats. Each tournament chooses one, by its key in POINTS.

To add a rule, add a function and its entry in POINTS; games may name it once games/core/manifest.py lists it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from games.core.record import RecordedFault
from games.core.story import mark


class Result(NamedTuple):
    """The result of one match: entrants' numbers, exact scores and ranks by seat, and the faults."""

    seats: tuple[int, ...]
    scores: tuple[Fraction, ...]
    ranks: tuple[int, ...]
    faults: tuple[RecordedFault, ...] = ()

    @property
    def has_one_winner(self) -> bool:
        """Whether exactly one seat has rank 1."""
        return self.ranks.count(1) == 1


@dataclass(frozen=True)
class PointsRule:
    """title: for people, marked for translation. of: a result's points, by seat."""

    title: str
    of: Callable[[Result], Sequence[Fraction]]


def _score(result: Result) -> Sequence[Fraction]:
    """The exact scores."""
    return result.scores


def _win(result: Result) -> list[Fraction]:
    """1 point for a sole first place: players who share it draw."""
    return [Fraction(rank == 1 and result.has_one_winner) for rank in result.ranks]


def _shared_win(result: Result) -> list[Fraction]:
    """1 point for every first place, shared or not."""
    return [Fraction(rank == 1) for rank in result.ranks]


POINTS = {
    "score": PointsRule(mark("the sum of the scores of all matches"), _score),
    "win": PointsRule(mark("1 point for a win, none for a draw"), _win),
    "shared_win": PointsRule(mark("1 point for a win, shared or not"), _shared_win),
}
