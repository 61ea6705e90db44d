"""What every tournament format is made of: a pure function from what was played to what is played next.

A `Plan` says what is fixed before the first match, a `History` what has happened since. A format's `pair`
takes both and returns the matches of the next round, or None at the end. Given the same plan and history it
returns the same round, so a tournament can be continued, and checked, from its results alone
(`agon.contest.formats.replay`).
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from agon.contest.formats.shown import Shown

Seating: TypeAlias = tuple[int, ...]  # the entrants' numbers by seat
Value: TypeAlias = int | str | bool  # of a setting


class BadFormat(ValueError):
    """A tournament that cannot be scheduled. str(e): the field, what was expected, what it is.

    text % values says the same without the field; text is marked for translation.
    """

    def __init__(self, field: str, text: str, **values: object) -> None:
        super().__init__(f"{field}: {text % values}")
        self.field = field
        self.text = text
        self.values = values


@dataclass(frozen=True)
class Setting:
    """What an organizer chooses for a format. title, help, and the choices' titles: marked for translation.

    default: for new tournaments; a bool is a switch, an int a number from `least` to `most`, a text a key of
    `choices`. seats: the number of seats from which and up to which it means something. before: what holds
    for tournaments from before there was this setting; None: the default.
    """

    name: str
    title: str
    default: Value
    least: int = 1
    most: int = 1_000_000
    choices: Mapping[str, str] = field(default_factory=dict)
    help: str = ""
    seats: tuple[int, int] = (2, 64)
    before: Value | None = None

    def allows(self, value: object) -> bool:
        """Whether `value` has the type of the default, and is in the range or among the choices."""
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        if isinstance(self.default, int):
            return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most
        return isinstance(value, str) and value in self.choices

    @property
    def expected(self) -> str:
        """The allowed values, for an error message."""
        if isinstance(self.default, bool):
            return "true or false"
        return f"{self.least} to {self.most}" if isinstance(self.default, int) else ", ".join(self.choices)

    @property
    def unstated(self) -> Value:
        """Its value in a tournament that does not state it."""
        return self.default if self.before is None else self.before


@dataclass(frozen=True)
class Plan:
    """What is fixed before the first match.

    entrants, seats: how many there are, and how many sit in a match. rounds: as the format takes them. seed:
    for what is drawn. settings: every setting of the format. points: a key of agon.contest.points.POINTS.
    ratings: of the entrants, when they were frozen; None for one without a rating; () if none has one.
    """

    format: str
    entrants: int
    seats: int
    rounds: int
    seed: int
    settings: Mapping[str, Value] = field(default_factory=dict)
    points: str = "score"
    ratings: tuple[int | None, ...] = ()

    def draw(self, *names: object) -> random.Random:
        """A source of chance of its own for each sequence of names."""
        return random.Random(" ".join(map(str, ("seatings", self.seed, *names))))

    def number(self, name: str) -> int:
        value = self.settings[name]
        assert isinstance(value, int)
        return value


class Outcome(NamedTuple):
    """How a scheduled match ended. seats: entrants. points, ranks: by seat; both empty for a match without a
    result (void, or withdrawn since one of its entrants left). out: entrants whom a fault in it disqualified.
    seed: of a match with a result. is_open: whether it is still to be played to its end.
    """

    seats: Seating
    points: tuple[Fraction, ...] = ()
    ranks: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    seed: int | None = None
    is_open: bool = False


class Absence(NamedTuple):
    """An entrant that was withdrawn or disqualified: it gets no match in rounds since <= round < until."""

    entrant: int
    since: int
    until: int | None = None


class PlayedRound(NamedTuple):
    """How the matches of a round ended, in order. idle: the entrants that were there and had no match."""

    outcomes: tuple[Outcome, ...]
    idle: tuple[int, ...] = ()


@dataclass(frozen=True)
class History:
    """What has happened. number: how many rounds have been scheduled. rounds: all of them, over; empty for
    formats that need no results.
    """

    number: int = 0
    rounds: tuple[PlayedRound, ...] = ()
    absences: tuple[Absence, ...] = ()

    def away(self, number: int) -> frozenset[int]:
        """The entrants that get no match in round `number`."""
        absent = {
            absence.entrant
            for absence in self.absences
            if absence.since <= number and (absence.until is None or number < absence.until)
        }
        faulted = {
            out
            for played_round in self.rounds[:number]
            for outcome in played_round.outcomes
            for out in outcome.out
        }
        return frozenset(absent | faulted)

    def before(self, number: int) -> "History":
        """The same as it was before round `number` was scheduled."""
        return History(number, self.rounds[:number], self.absences)


class Ranking(NamedTuple):
    """The result of a format with an order of its own. ranks: by entrant; ties share the better one.

    criteria: what decided, the most important first, as keys of agon.contest.standings.CRITERIA. values: by
    entrant, one for each criterion; the first are its points.
    """

    ranks: tuple[int, ...]
    criteria: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]


NextRound: TypeAlias = Callable[[Plan, History], Iterable[Seating] | None]  # the next round; None at the end


@dataclass(frozen=True)
class Format:
    """A way to run a tournament.

    title, guarantee: for people, marked for translation. pair: the next round, or None at the end. count: how
    many matches there are, or at most. needs_results: a round depends on the results of those before it, so
    it is scheduled when they are over; else all is fixed from the start. takes_rounds: what Plan.rounds means
    is the organizer's choice; else it is 1. rank: the format's own order; None if points alone decide, as
    agon.contest.standings counts them. check: raises BadFormat for a plan that cannot be.
    expect: how many matches are likely to be played in all, where that is fewer than `count`; a Fraction.
    proposed_rounds: for so many entrants and seats, and settings, where the organizer chooses none; None:
    there is no such.
    rounds_rule: how many these are, marked for translation.
    fitted: the settings for so many entrants and seats, where the chosen ones do not fit them.
    repeats_rounds: every round is like the first, so the number of a game's original contest fits.

    For the tournament's page: counts_wins: points are wins and draws, whatever the game's rule. decided_by:
    what decides the ranks, marked for translation; "": points, as the settings say. follows: what happens
    when the matches in play are over, marked for translation; "" if all is fixed from the start.
    counts_rounds: it needs results, and plays as many rounds as Plan.rounds says. show: its bracket, groups
    or rounds. has_trf: with two seats, agon.contest.formats.trf describes it.
    """

    name: str
    title: str
    guarantee: str
    least_seats: int
    most_seats: int
    pair: NextRound
    count: Callable[[Plan], int]
    settings: tuple[Setting, ...] = ()
    needs_results: bool = False
    takes_rounds: bool = True
    rank: Callable[[Plan, History], Ranking] | None = None
    check: Callable[[Plan], None] = lambda plan: None
    expect: Callable[[Plan, History], Fraction] | None = None
    proposed_rounds: Callable[[int, int, Mapping[str, Value]], int] | None = None
    rounds_rule: str = ""
    fitted: Callable[[int, int, Mapping[str, Value]], Mapping[str, Value]] | None = None
    repeats_rounds: bool = False
    counts_wins: bool = False
    decided_by: str = ""
    follows: str = ""
    counts_rounds: bool = False
    show: Callable[[Plan, History], Shown] | None = None
    has_trf: bool = False

    def settings_for(self, seats: int) -> list[Setting]:
        """The settings that have a meaning in games of so many seats."""
        return [setting for setting in self.settings if setting.seats[0] <= seats <= setting.seats[1]]


def fixed(fill: Callable[[Plan, int], Iterable[Seating]]) -> NextRound:
    """`pair` for a format whose rounds need no results: `fill` makes each from the plan and its number."""

    def pair(plan: Plan, history: History) -> Iterable[Seating] | None:
        return None if history.number >= plan.rounds else fill(plan, history.number)

    return pair


def blocks(plan: Plan, round: int, number: int) -> Iterator[Seating]:
    """Draw `number` blocks: each has a match for every entrant, and every entrant sits once in every seat.

    In a block the entrants form a drawn circle; match i takes those at drawn distances from i. The distances
    differ, so no entrant meets itself, and each place is a given distance from exactly one i.
    """
    draw = plan.draw(round)
    for _ in range(number):
        circle = draw.sample(range(plan.entrants), plan.entrants)
        distances = draw.sample(range(plan.entrants), plan.seats)
        yield from turned(circle, distances)


def turned(circle: Sequence[int], distances: Sequence[int]) -> Iterator[Seating]:
    """One match for each place of the circle: those at these distances from it."""
    for start in range(len(circle)):
        yield tuple(circle[(start + distance) % len(circle)] for distance in distances)


def place_points(ranks: Sequence[int]) -> tuple[Fraction, ...]:
    """The points by seat: the share of the other seats that it finished ahead of, a tie counting half.

    With two seats 1 for a win, 1/2 for a tie, 0 for a loss, as in Swiss tournaments of chess (FIDE Handbook
    C.04). Always from 0 to 1, and 1/2 on average.
    """
    return _place_points(tuple(ranks))


@lru_cache(maxsize=1024)  # every round counts all those before it again, and few ranks differ
def _place_points(ranks: tuple[int, ...]) -> tuple[Fraction, ...]:
    others = max(1, len(ranks) - 1)
    return tuple(
        (Fraction(sum(other > rank for other in ranks)) + Fraction(ranks.count(rank) - 1, 2)) / others
        for rank in ranks
    )


def shared_ranks(keys: Sequence[tuple[Fraction, ...]]) -> tuple[int, ...]:
    """The rank of each entrant, the largest key first; equal keys share the better rank."""
    order = sorted(keys, reverse=True)
    first = {key: place for place, key in reversed(list(enumerate(order, start=1)))}
    return tuple(first[key] for key in keys)


def seated(table: Sequence[int], cost: Callable[[int, int], Any]) -> Seating:
    """Give each seat in turn to the entrant at the table for whom it costs least."""
    left = list(table)
    seating: list[int] = []
    for seat in range(len(table)):
        costs = [cost(entrant, seat) for entrant in left]
        seating.append(left.pop(costs.index(min(costs))))
    return tuple(seating)
