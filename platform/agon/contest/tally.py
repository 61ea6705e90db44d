"""Sums of the results of many matches: all that standings, strengths and head-to-head results need."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from agon.contest.points import PointsRule, Result
from agon.contest.reasons import english


class RankedSeats(NamedTuple):
    """The entrants' numbers by seat, and the ranks with which the match ended."""

    seats: tuple[int, ...]
    ranks: tuple[int, ...]

    @property
    def has_one_winner(self) -> bool:
        """Whether exactly one seat has rank 1."""
        return self.ranks.count(1) == 1


class Sums(NamedTuple):
    """Sums over all matches with the same seats and ranks: their number, and the points by seat."""

    matches: int
    points: tuple[Fraction, ...]


@dataclass(frozen=True)
class Tally:
    """Sums of results. faults: by entrant. out: entrants with a disqualifying fault, and its reason."""

    played: Mapping[RankedSeats, Sums] = field(default_factory=dict)
    faults: Mapping[int, int] = field(default_factory=dict)
    out: Mapping[int, str] = field(default_factory=dict)

    def __add__(self, later: "Tally") -> "Tally":
        """This tally and that of matches later in the schedule."""
        played = dict(self.played)
        for seating, sums in later.played.items():
            _add(played, seating, sums)
        faults = Counter(self.faults)
        faults.update(later.faults)
        return Tally(played, dict(faults), {**later.out, **self.out})

    @property
    def matches(self) -> int:
        """How many matches it sums up."""
        return sum(sums.matches for sums in self.played.values())

    def without(self, entrants: Collection[int]) -> Mapping[RankedSeats, Sums]:
        """The sums of the matches in which none of these entrants has a seat."""
        if not entrants:
            return MappingProxyType(self.played)
        left_out = frozenset(entrants)
        return {seating: sums for seating, sums in self.played.items() if left_out.isdisjoint(seating.seats)}


def tally_of(results: Iterable[Result], rule: PointsRule, disqualifying: Collection[str] = ()) -> Tally:
    """The sums of these results, which are in the order of the schedule.

    disqualifying: the kinds of fault that disqualify a bot.
    """
    counting = Counting(rule, disqualifying)
    for result in results:
        counting.add(result)
    return counting.tally


class Counting:
    """Makes a tally of results that come one by one, in the order of the schedule."""

    def __init__(self, rule: PointsRule, disqualifying: Collection[str] = ()) -> None:
        self._rule = rule
        self._disqualifying = disqualifying
        self._played: dict[RankedSeats, Sums] = {}
        self._faults: Counter[int] = Counter()
        self._out: dict[int, str] = {}

    def add(self, result: Result) -> None:
        _add(self._played, RankedSeats(result.seats, result.ranks), Sums(1, tuple(self._rule.of(result))))
        for fault in result.faults:
            entrant = result.seats[fault.seat]
            self._faults[entrant] += 1
            if fault.kind in self._disqualifying:
                self._out.setdefault(entrant, english(fault.reason))

    @property
    def tally(self) -> Tally:
        """The sums of the results so far."""
        return Tally(self._played, dict(self._faults), self._out)


def _add(played: dict[RankedSeats, Sums], seating: RankedSeats, more: Sums) -> None:
    before = played.get(seating)
    if before is None:
        played[seating] = more
    else:
        points = tuple(old + new for old, new in zip(before.points, more.points, strict=True))
        played[seating] = Sums(before.matches + more.matches, points)
