"""What a tournament's page shows of its bracket, groups or rounds, as a format makes it (Format.show).

Entrants are their numbers, a match is its place: (round, number within the round), both from 0. Texts are
marked for translation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from games.core.story import mark

Place: TypeAlias = tuple[int, int]

WINNER = mark("(winner)")
ADVANCES = mark("(advances)")
BYE = mark("bye")
FINAL = mark("Final")
MAIN_BRACKET = mark("Main bracket")


class Text(NamedTuple):
    """text: marked for translation, with placeholders for `values`; "" for none."""

    text: str = ""
    values: Mapping[str, int] = {}


@dataclass(frozen=True)
class Side:
    """An entrant in a pairing, a match, or at a table.

    entrant: None for a place that is still open, or stays empty. points: None if they do not matter here.
    won_label: what `won` means.
    """

    entrant: int | None
    points: Fraction | None = None
    won: bool = False
    won_label: str = WINNER


@dataclass(frozen=True)
class PairingShown:
    """A pairing of a bracket, a table, or a match of a round. note: why it was decided without points,
    or "".
    """

    sides: Sequence[Side]
    matches: Sequence[Place] = ()
    note: str = ""
    over: bool = False


@dataclass(frozen=True)
class Column:
    """The pairings of a stage. lead: how they lead to those of the next: two and two ("pairs"), each to one
    ("straight"), or otherwise ("").
    """

    title: Text
    pairings: Sequence[PairingShown]
    lead: str = ""


@dataclass(frozen=True)
class Chart:
    """A part of a bracket, by stage."""

    title: str
    columns: Sequence[Column]


@dataclass(frozen=True)
class GroupShown:
    """A group: its entrants, best first, each with its points. note: what decided besides points, or ""."""

    title: Text
    rows: Sequence[tuple[int, Fraction]]
    note: str = ""


@dataclass(frozen=True)
class RoundShown:
    """A round. number: from 1. byes: the entrants without a match in it."""

    number: int
    pairings: Sequence[PairingShown]
    byes: Sequence[int]


@dataclass(frozen=True)
class Shown:
    """The content of the page: charts of the bracket and groups, or the latest rounds, last one first."""

    charts: Sequence[Chart] = field(default_factory=list)
    groups: Sequence[GroupShown] = field(default_factory=list)
    rounds: Sequence[RoundShown] = field(default_factory=list)


def stage_title(number: int) -> Text:
    """number: from 1."""
    return Text(mark("Stage %(number)d"), {"number": number})
