"""What every points rule is made of: a pure function from a match's result to the points of its seats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from games.core.record import RecordedFault


class Result(NamedTuple):
    """The result of one match: entrants' numbers, exact scores and ranks by seat, the faults, and the seed.

    seed: None where nothing is drawn from it.
    """

    seats: tuple[int, ...]
    scores: tuple[Fraction, ...]
    ranks: tuple[int, ...]
    faults: tuple[RecordedFault, ...] = ()
    seed: int | None = None

    @property
    def has_one_winner(self) -> bool:
        """Whether exactly one seat has rank 1."""
        return self.ranks.count(1) == 1


@dataclass(frozen=True)
class PointsRule:
    """title: for people, marked for translation. of: a result's points, by seat."""

    name: str
    title: str
    of: Callable[[Result], Sequence[Fraction]]
