"""Knock-outs of games of more than two seats: in each stage the remaining entrants sit at tables.

A stage deals its entrants to full tables, to and fro in the order of the seeding, so that as many of the best
seeds as there are tables sit apart. A table plays `best_of` matches, in which the seats are rotated by one
each time. The better half advances. The next stage begins when all tables of this one are over; the last
stage is one table, the final, and its first place is the winner.

How many play. Let n be the number of remaining entrants, k the number of seats, and p the largest of k, 2k,
4k, ... that is at most n. If n = p, all play, and p/2 advance; if k is odd, one more from each table of the
first half of the tables. Otherwise as few tables play as can reduce n to p, those of the last seeds; the
others have a bye.

How a table is decided. A match gives each entrant the share of the others that it finished ahead of, a tie
counting half (base.place_points). The order is by points. Matches end as soon as no entrant can cross the
line between those that advance and the others. If two are equal across that line after best_of matches, the
table plays on, and then a lot or the seeding decides (agon.contest.formats.equal). A match needs all seats:
if an entrant leaves a table, the table is decided by the matches played so far, with that entrant last.

Guarantees. From every table at least half of the entrants, rounded down, advance, and at least one is out.
The winner of the final is the only entrant that was never out. Those that are out in the same stage share a
rank; the final has an order, in which those with equal points share a rank where lots decide, except for the
winner. If so many leave that no table is full, the remaining ones share the first
place.
"""

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from agon.contest.formats.base import History, Outcome, Plan, Ranking, Seating, place_points, shared_ranks
from agon.contest.formats.equal import (
    BY_LOT,
    criteria,
    decides_by_lot,
    drawn,
    most_deciders,
    open_matches,
)
from agon.contest.formats.expected import likely_matches
from agon.contest.formats.shown import (
    ADVANCES,
    BYE,
    FINAL,
    MAIN_BRACKET,
    WINNER,
    Chart,
    Column,
    PairingShown,
    Side,
    Text,
    stage_title,
)


@dataclass
class Table:
    """How a table stands. entrants: the best seeds first. going: how many advance. points: by entrant.

    matches: (round, number) of each. seeds: of those with a result. order: the entrants once it is over, the
    best first; without those that left. by_lot: those of them that advance since a lot decided. stage,
    number: from 0; number within the stage.
    """

    stage: int
    number: int
    entrants: Sequence[int]
    going: int
    points: dict[int, Fraction] = field(default_factory=dict)
    matches: list[tuple[int, int]] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    has_open_match: bool = False
    order: list[int] = field(default_factory=list)
    by_lot: list[int] = field(default_factory=list)
    over: bool = False

    @property
    def advancing(self) -> list[int]:
        """The entrants that advance; [] before the table is over."""
        return self.order[: self.going]

    @property
    def standing(self) -> list[int]:
        """The entrants by their present points, best first."""
        return sorted(self.entrants, key=lambda entrant: -self.points[entrant])  # stable: then the seeding

    @property
    def shown(self) -> list[int]:
        """All its entrants, those that left last."""
        return [*self.order, *(entrant for entrant in self.standing if entrant not in self.order)]


@dataclass
class Stage:
    """A stage. byes: the entrants that advance without playing."""

    tables: list[Table]
    byes: list[int]


class Tables:
    """The stages after the rounds of a history, from round `first` on. seeding: the best first."""

    def __init__(self, plan: Plan, seeding: Sequence[int], history: History, first: int = 0) -> None:
        self.plan = plan
        self.stages: list[Stage] = []
        self.left = list(seeding)  # those who are not out
        self._seeding = seeding
        self._out: dict[int, int] = {}  # by entrant, the larger the later
        self._is_final_over = False
        for number in range(first, history.number):
            planned = self._wave(history.away(number))
            outcomes = history.rounds[number].outcomes
            for place, (table, outcome) in enumerate(zip(planned, outcomes, strict=True)):
                table.matches.append((number, place))
                _count(table, outcome)
        self._settle(history.away(history.number))

    def charts(self) -> list[Chart]:
        """The stages, with their tables and those that have a bye."""
        columns = [
            Column(_title(stage), [*map(_table_shown, stage.tables), *_byes_shown(stage)])
            for stage in self.stages
        ]
        return [Chart(MAIN_BRACKET, columns)] if columns else []

    def wave(self) -> list[Seating]:
        """What is played next; empty at the end."""
        if not self.stages:
            return []
        return [seating for table in self.stages[-1].tables for seating in self._seatings(table)]

    def expected(self) -> Fraction:
        """How many matches are likely to be played."""
        tables = [table for stage in self.stages for table in stage.tables]
        over = [len(table.matches) for table in tables if table.over]
        begun = [len(table.matches) for table in tables if table.matches and not table.over]
        left = len(self.left)
        if self.stages and not self._is_final_over:
            stage = self.stages[-1]
            left = len(stage.byes) + sum(table.going for table in stage.tables)
        later = 0 if self._is_final_over else tables_left(left, self.plan.seats)
        return likely_matches(self.plan, over, begun, len(tables) + later)

    def ranking(self, entrants: int) -> Ranking:
        """Rank by the stage in which each went out; those that are not out share the first place."""
        in_play = 2 * len(self.stages)
        stages = [self._out.get(entrant, in_play) for entrant in range(entrants)]
        won, by_lot = [0] * entrants, [0] * entrants
        final = [Fraction(0)] * entrants
        for table in (table for stage in self.stages for table in stage.tables):
            for entrant in table.advancing:
                won[entrant] += 1
                by_lot[entrant] += entrant in table.by_lot
        if self._is_final_over:
            final = self._final_values(entrants)
        keys = [(Fraction(stages[entrant]), final[entrant]) for entrant in range(entrants)]
        return Ranking(shared_ranks(keys), *criteria(self.plan, "tables_won", won, by_lot))

    def _final_values(self, entrants: int) -> list[Fraction]:
        """What orders the entrants of the final, the larger the better; 0 for all others."""
        values = [Fraction(0)] * entrants
        order, points = self._final.order, self._final.points
        for place, entrant in enumerate(reversed(order), start=1):
            values[entrant] = Fraction(place)
        if decides_by_lot(self.plan):
            for better, entrant in itertools.pairwise(order[1:]):
                if points[better] == points[entrant]:
                    values[entrant] = values[better]
        return values

    @property
    def _final(self) -> Table:
        return self.stages[-1].tables[0]

    def _wave(self, away: frozenset[int]) -> list[Table]:
        """The table of each match of the next wave."""
        self._settle(away)
        tables = self.stages[-1].tables if self.stages else []
        return [table for table in tables for _ in self._seatings(table)]

    def _settle(self, away: frozenset[int]) -> None:
        """End what can be ended without playing, and begin what follows."""
        while not self._is_final_over:
            if self.stages:
                for table in self.stages[-1].tables:
                    self._end(table, away)
                if not all(table.over for table in self.stages[-1].tables):
                    return
                self._end_stage()
            if self._is_final_over or not self._begin_stage(away):
                return

    def _end(self, table: Table, away: frozenset[int]) -> None:
        if table.over or table.has_open_match:
            return
        if not self._open(table):
            self._decide(table, table.entrants)
        elif away.intersection(table.entrants):
            self._decide(table, [entrant for entrant in table.entrants if entrant not in away])

    def _decide(self, table: Table, entrants: Sequence[int]) -> None:
        """End the table with the order of these."""
        table.over = True
        if decides_by_lot(self.plan):
            entrants = drawn(self.plan, entrants, table.seeds, "table", table.stage, table.number)
        table.order = sorted(entrants, key=lambda entrant: -table.points[entrant])  # stable
        if decides_by_lot(self.plan) and table.going < len(table.order):
            line = table.points[table.order[table.going]]
            table.by_lot = [entrant for entrant in table.advancing if table.points[entrant] == line]

    def _end_stage(self) -> None:
        stage = self.stages[-1]
        if len(stage.tables) == 1 and stage.tables[0].going == 1 and not stage.byes:
            self._is_final_over = True
        self._keep({*stage.byes, *(entrant for table in stage.tables for entrant in table.advancing)}, 2)

    def _begin_stage(self, away: Collection[int]) -> bool:
        """False if no table is full."""
        self._keep(set(self.left).difference(away), 1)
        if len(self.left) < self.plan.seats:
            return False
        byes, sizes = division(len(self.left), self.plan.seats)
        tables = dealt(self.left[byes:], len(sizes))
        stage = [
            Table(len(self.stages), number, table, going, dict.fromkeys(table, Fraction(0)))
            for number, (table, going) in enumerate(zip(tables, sizes, strict=True))
        ]
        self.stages.append(Stage(stage, self.left[:byes]))
        return True

    def _keep(self, going_on: Collection[int], before: int) -> None:
        """The others are out. before: 2 in the stage that has ended, 1 between it and the next one."""
        for entrant in self.left:
            if entrant not in going_on:
                self._out[entrant] = 2 * len(self.stages) - before
        self.left = [entrant for entrant in self.left if entrant in going_on]

    def _open(self, table: Table) -> int:
        last, next_one = table.standing[table.going - 1 : table.going + 1]
        return open_matches(self.plan, len(table.matches), table.points[last] - table.points[next_one])

    def _seatings(self, table: Table) -> list[Seating]:
        """Matches of a table take turns in its seats; who begins is drawn."""
        if table.over:
            return []
        drawn = self.plan.draw("table", table.stage, table.number).sample(table.entrants, len(table.entrants))
        played = len(table.matches)
        turns = [number % len(drawn) for number in range(played, played + self._open(table))]
        return [tuple(drawn[turn:] + drawn[:turn]) for turn in turns]


def division(entrants: int, seats: int) -> tuple[int, list[int]]:
    """The number of byes in the next stage, and how many entrants advance from each of its tables."""
    target = seats
    while 2 * target <= entrants:
        target *= 2
    if target == seats == entrants:
        return 0, [1]
    if target == entrants:
        tables = entrants // seats
        return 0, [(seats + 1) // 2] * (tables // 2) + [seats // 2] * (tables // 2)
    out, most_out = entrants - target, seats // 2
    tables = min(entrants // seats, -(-out // most_out))
    out = min(out, tables * most_out)
    out_each, more = divmod(out, tables)
    return entrants - tables * seats, [seats - out_each] * (tables - more) + [seats - out_each - 1] * more


def tables_left(entrants: int, seats: int) -> int:
    """How many tables so many entrants play until one has won, unless some leave."""
    result = 0
    while entrants >= seats:
        byes, going = division(entrants, seats)
        result += len(going)
        entrants = byes + sum(going)
    return result


def dealt(players: Sequence[int], tables: int) -> list[list[int]]:
    """The players of each table: dealt to and fro (1 2 3 3 2 1 1 ...), so that the best sit apart."""
    result: list[list[int]] = [[] for _ in range(tables)]
    for place, entrant in enumerate(players):
        row, column = divmod(place, tables)
        result[column if row % 2 == 0 else tables - 1 - column].append(entrant)
    return result


def most_matches(plan: Plan, entrants: int) -> int:
    """The largest possible number of matches: at every table at least one entrant goes out, or has left."""
    return (entrants - plan.seats + 1) * (plan.number("best_of") + most_deciders(plan))


def _title(stage: Stage) -> Text:
    first = stage.tables[0]
    return Text(FINAL) if first.going == 1 else stage_title(first.stage + 1)


def _table_shown(table: Table) -> PairingShown:
    won_label = WINNER if table.going == 1 else ADVANCES
    sides = [
        Side(
            entrant,
            table.points[entrant] if table.matches else None,
            entrant in table.advancing,
            won_label,
        )
        for entrant in table.shown
    ]
    return PairingShown(sides, table.matches, BY_LOT if table.by_lot else "", table.over)


def _byes_shown(stage: Stage) -> list[PairingShown]:
    return (
        [PairingShown([Side(entrant) for entrant in stage.byes], note=BYE, over=True)] if stage.byes else []
    )


def _count(table: Table, outcome: Outcome) -> None:
    for entrant, earned in zip(outcome.seats, place_points(outcome.ranks), strict=False):
        table.points[entrant] += earned
    table.has_open_match |= outcome.is_open
    if outcome.seed is not None:
        table.seeds.append(outcome.seed)
