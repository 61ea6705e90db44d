"""The common part of knock-out formats: in games of 2 seats, pairings of up to `best_of` matches.

A pairing is played in waves: each wave has, for every pairing whose entrants are known, as many matches as
its leader needs to be out of reach. So a best of three is two matches, and a third if these did not decide
it. The entrants of a pairing alternate in the first seat; who begins is drawn.

Who wins a pairing:
- The entrant with more points than the other can still reach; a match gives 1, 1/2 or 0 to each by rank.
  Matches without a result, or drawn, decide nothing: a pairing of two bots that fail in every match is equal.
- If a pairing is equal after best_of matches, it plays on, and then a lot or the seeding decides
  (agon.contest.formats.equal).
- If an entrant has left (withdrawn, or disqualified), the other advances without further matches. If both
  have, the next opponent does. For an entrant that returns, decisions made while it was away stay.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from agon.contest.formats.base import (
    History,
    NextRound,
    Outcome,
    Plan,
    Ranking,
    Seating,
    Setting,
    place_points,
    shared_ranks,
)
from agon.contest.formats.equal import BY_LOT, EQUAL, criteria, decides_by_lot, drawn, open_matches
from agon.contest.formats.expected import likely_matches
from agon.contest.formats.seeding import SEEDING
from agon.contest.formats.shown import (
    BYE,
    FINAL,
    MAIN_BRACKET,
    Chart,
    Column,
    PairingShown,
    Shown,
    Side,
    Text,
    stage_title,
)
from agon.contest.formats.tables import Tables
from games.core.story import mark

BEST_OF = Setting(
    "best_of",
    mark("Best of"),
    3,
    1,
    99,
    help=mark("Matches of a pairing or a table; they end when no further match can change who advances."),
)
FOLLOWS = mark("Winners play on. The next matches begin when all of those in play are over.")
# Of every knock-out.
SETTINGS = (BEST_OF, SEEDING, EQUAL)


class Part(StrEnum):
    """A part of a bracket. LOWER: for entrants that lost once."""

    MAIN = "main"
    LOWER = "lower"
    FINAL = "final"
    THIRD = "third"


TITLES = {
    Part.MAIN: MAIN_BRACKET,
    Part.LOWER: mark("Lower bracket"),
    Part.FINAL: FINAL,
    Part.THIRD: mark("Match for third place"),
}
_LAST_STAGES = {1: FINAL, 2: mark("Semifinals"), 3: mark("Quarterfinals")}  # by how many are left
_NOTES = {
    "bye": BYE,
    "walkover": mark("walkover: an entrant left"),
    "seeding": mark("equal: the better seed advances"),
    "lot": BY_LOT,
}


class PairingSource(NamedTuple):
    """Where an entrant of a pairing comes from: place `number` of the seeding (from 0), or a pairing's winner
    or loser.
    """

    kind: str  # "seed", "winner", "loser"
    number: int


class Pairing(NamedTuple):
    """A place in the bracket. stage: from 0, in its part. loser_rank: of the one that is out by losing here;
    0 where it plays on. after_upset: this pairing is played only if the second entrant won that one.
    """

    part: Part
    stage: int
    sources: tuple[PairingSource, PairingSource]
    loser_rank: int
    after_upset: int | None = None


@dataclass
class PairingState:
    """How a pairing stands. sides: entrants; None for an empty place. known: whether both are determined.

    points: of the matches so far. matches: (round, number) of each. seeds: of those with a result. over:
    winner and loser are determined; None is an empty place. by: "points", "lot", "seeding", "walkover", or
    "bye".
    """

    number: int
    pairing: Pairing
    sides: tuple[int | None, int | None] = (None, None)
    known: bool = False
    points: list[Fraction] = field(default_factory=lambda: [Fraction(0), Fraction(0)])
    matches: list[tuple[int, int]] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    has_open_match: bool = False
    over: bool = False
    winner: int | None = None
    loser: int | None = None
    by: str = ""
    out: list[int] = field(default_factory=list)  # those whose tournament ends here

    @property
    def is_needless(self) -> bool:
        """Whether it is never played: a pairing of two empty places, or a second final that is not needed."""
        if self.pairing.after_upset is not None:
            return not self.known or self.by == "bye"
        return self.known and self.sides == (None, None)

    def decide(self, winner: int | None, loser: int | None, by: str) -> None:
        """End the pairing."""
        self.over, self.winner, self.loser, self.by = True, winner, loser, by


class Bracket:
    """The pairings of a bracket after the rounds of a history, from round `first` on."""

    def __init__(
        self,
        plan: Plan,
        pairings: Sequence[Pairing],
        seeding: Sequence[int],
        history: History,
        first: int = 0,
    ) -> None:
        self.plan = plan
        self.pairings = [PairingState(number, pairing) for number, pairing in enumerate(pairings)]
        self._seeding = seeding
        self._place = {entrant: place for place, entrant in enumerate(seeding)}
        for number in range(first, history.number):
            planned = self._wave(history.away(number))
            outcomes = history.rounds[number].outcomes
            for place, (state, outcome) in enumerate(zip(planned, outcomes, strict=True)):
                state.matches.append((number, place))
                self._count(state, outcome)
        self._settle(history.away(history.number))

    def wave(self) -> list[Seating]:
        """What is played next; empty when every pairing is over."""
        return [seating for state in self.pairings for seating in self._seatings(state)]

    def ranking(self, entrants: int) -> Ranking:
        """Rank by the stage in which each went out; those that are not out share the first place."""
        ranks = [0] * entrants
        won, by_lot = [0] * entrants, [0] * entrants
        for state in self.pairings:
            for entrant in state.out:
                ranks[entrant] = state.pairing.loser_rank or entrants
            if state.winner is not None and state.by != "bye":
                won[state.winner] += 1
                by_lot[state.winner] += state.by == "lot"
            if state.pairing.part is Part.THIRD and state.winner is not None:
                ranks[state.winner] = state.pairing.loser_rank - 1
        champion = self.pairings[-1].winner
        if champion is not None:
            ranks[champion] = 1
        keys = [(Fraction(-rank),) for rank in ranks]
        return Ranking(shared_ranks(keys), *criteria(self.plan, "ties_won", won, by_lot))

    def expected(self, pairings: Fraction | int) -> Fraction:
        """How many matches are likely to be played. pairings: how many are, unless entrants leave."""
        over = [len(state.matches) for state in self.pairings if state.over and state.by != "bye"]
        begun = [len(state.matches) for state in self.pairings if state.matches and not state.over]
        if all(state.over for state in self.pairings):
            pairings = len(over)
        return likely_matches(self.plan, over, begun, pairings)

    def charts(self) -> list[Chart]:
        """Its parts, without pairings that are never played."""
        double = any(state.pairing.part is Part.FINAL for state in self.pairings)
        charts = []
        for part in Part:
            states = [
                state for state in self.pairings if state.pairing.part is part and not state.is_needless
            ]
            stages = [
                [state for state in states if state.pairing.stage == stage]
                for stage in sorted({state.pairing.stage for state in states})
            ]
            columns = [
                Column(
                    _stage_title(part, place, len(stages) - place, double),
                    [_pairing_shown(state) for state in stage],
                    _lead(stage, stages[place + 1] if place + 1 < len(stages) else []),
                )
                for place, stage in enumerate(stages)
            ]
            if columns:
                charts.append(Chart(TITLES[part], columns))
        return charts

    def _wave(self, away: frozenset[int]) -> list[PairingState]:
        """The pairing of each match of the next wave."""
        self._settle(away)
        return [state for state in self.pairings for _ in self._seatings(state)]

    def _settle(self, away: frozenset[int]) -> None:
        """Decide what can be decided without playing, pairings in order, so that sources come before."""
        for state in self.pairings:
            if state.over or state.has_open_match:
                continue
            if not state.known:
                self._fill(state)
            if state.known:
                self._decide(state, away)

    def _fill(self, state: PairingState) -> None:
        pairing = state.pairing
        if not all(source.kind == "seed" or self.pairings[source.number].over for source in pairing.sources):
            return
        first, second = (self._from(source) for source in pairing.sources)
        state.sides, state.known = (first, second), True
        if pairing.after_upset is not None:
            before = self.pairings[pairing.after_upset]
            if before.winner != before.sides[1]:  # no upset: it is over
                state.decide(before.winner, before.loser, "bye")
                self._leave(state, before.loser)

    def _from(self, source: PairingSource) -> int | None:
        if source.kind == "seed":
            return self._seeding[source.number] if source.number < len(self._seeding) else None
        state = self.pairings[source.number]
        return state.winner if source.kind == "winner" else state.loser

    def _decide(self, state: PairingState, away: frozenset[int]) -> None:
        if state.over:
            return
        first, second = state.sides
        if first is None or second is None:
            state.decide(second if first is None else first, None, "bye")
        elif not self._open(state):
            winner, loser, by = self._better(state, first, second)
            state.decide(winner, loser, by)
            self._leave(state, loser)
        elif first in away and second in away:
            state.decide(None, None, "walkover")
            state.out += [first, second]
        elif first in away or second in away:
            winner, loser = (first, second) if second in away else (second, first)
            state.decide(winner, loser, "walkover")
            self._leave(state, loser)

    def _better(self, state: PairingState, first: int, second: int) -> tuple[int, int, str]:
        """Winner and loser of a pairing whose matches are over, and what decided."""
        lead = state.points[0] - state.points[1]
        if lead:
            return (first, second, "points") if lead > 0 else (second, first, "points")
        if decides_by_lot(self.plan):
            winner, loser = drawn(self.plan, (first, second), state.seeds, "tie", state.number)
            return winner, loser, "lot"
        winner, loser = sorted((first, second), key=self._place.__getitem__)
        return winner, loser, "seeding"

    def _leave(self, state: PairingState, loser: int | None) -> None:
        if state.pairing.loser_rank and loser is not None:
            state.out.append(loser)

    def _count(self, state: PairingState, outcome: Outcome) -> None:
        for entrant, points in zip(outcome.seats, place_points(outcome.ranks), strict=False):
            state.points[state.sides.index(entrant)] += points
        state.has_open_match |= outcome.is_open
        if outcome.seed is not None:
            state.seeds.append(outcome.seed)

    def _open(self, state: PairingState) -> int:
        return open_matches(self.plan, len(state.matches), abs(state.points[0] - state.points[1]))

    def _seatings(self, state: PairingState) -> list[Seating]:
        first, second = state.sides
        if state.over or not state.known or first is None or second is None:
            return []
        begins = self.plan.draw("seats", state.number).randrange(2)
        played = len(state.matches)
        return [
            (first, second) if (begins + number) % 2 == 0 else (second, first)
            for number in range(played, played + self._open(state))
        ]


def places(size: int) -> list[int]:
    """The seeds of a bracket from top to bottom, so that the first two meet in the final at the earliest.

    size: a power of two.
    """
    order = [0]
    while len(order) < size:
        total = 2 * len(order) - 1
        order = [seed for upper in order for seed in (upper, total - upper)]
    return order


def pair_of(bracket: Callable[[Plan, History], Bracket | Tables]) -> NextRound:
    """`pair` of a format: the next wave of its bracket; None when there is none."""
    return lambda plan, history: bracket(plan, history).wave() or None


def rank_of(bracket: Callable[[Plan, History], Bracket | Tables]) -> Callable[[Plan, History], Ranking]:
    return lambda plan, history: bracket(plan, history).ranking(plan.entrants)


def show_of(bracket: Callable[[Plan, History], Bracket | Tables]) -> Callable[[Plan, History], Shown]:
    return lambda plan, history: Shown(charts=bracket(plan, history).charts())


def _stage_title(part: Part, place: int, left: int, double: bool) -> Text:
    """place: of the stage in its part, from 0. left: stages of the part from this one on.

    No text where the title of the part says it.
    """
    if part in (Part.FINAL, Part.THIRD) and place == 0 and left == 1:
        return Text()
    if part is Part.MAIN and not double and left in _LAST_STAGES:
        return Text(_LAST_STAGES[left])
    return stage_title(place + 1)


def _pairing_shown(state: PairingState) -> PairingShown:
    sides = [
        Side(
            entrant,
            points if state.matches else None,
            state.over and entrant is not None and entrant == state.winner,
        )
        for entrant, points in zip(state.sides, state.points, strict=True)
    ]
    return PairingShown(sides, state.matches, _NOTES.get(state.by, ""), state.over)


def _lead(stage: Sequence[PairingState], following: Sequence[PairingState]) -> str:
    """See Column.lead."""
    numbers = [state.number for state in stage]
    joined = [
        sorted(
            source.number
            for source in state.pairing.sources
            if source.kind == "winner" and source.number in numbers
        )
        for state in following
    ]
    if not joined:
        return ""
    if joined == [list(pair) for pair in zip(numbers[::2], numbers[1::2], strict=False)]:
        return "pairs"
    return "straight" if joined == [[number] for number in numbers] else ""


def main_part(entrants: int, *, out: bool) -> list[list[Pairing]]:
    """The stages of a single elimination. out: whether its losers are out."""
    size = 1 << max(1, (entrants - 1).bit_length())
    order = places(size)
    sources = [PairingSource("seed", seed) for seed in order]
    stages: list[list[Pairing]] = []
    number = 0
    while len(sources) > 1:
        pairs = list(zip(sources[::2], sources[1::2], strict=True))
        rank = len(pairs) + 1 if out else 0
        stages.append([Pairing(Part.MAIN, len(stages), pair, rank) for pair in pairs])
        sources = [PairingSource("winner", number + place) for place in range(len(pairs))]
        number += len(pairs)
    return stages
