"""Tournament formats: which entrants meet in which seats, in which order.

A schedule is a pure function of the number of entrants, the seats of a match, the rounds and the seed. A
format is one file here, entered in FORMATS; games may name it once games/core/manifest.py lists it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.formats import drawn, rotations, round_robin, round_robin_self, started_tens
from contest.formats.base import Format, Round
from games.core.story import mark

MOST_MATCHES = 1_000_000
SERIES = "series"  # not a tournament's format: the same seating again and again, seed after seed
FORMATS: dict[str, Format] = {
    each.FORMAT.name: each.FORMAT for each in (round_robin, round_robin_self, rotations, drawn, started_tens)
}

_ = mark


class BadFormat(ValueError):
    """A tournament that cannot be scheduled. str(e): the field, what was expected, what it is.

    text % values says the same without the field; text is marked for translation.
    """

    def __init__(self, field: str, text: str, **values: object) -> None:
        super().__init__(f"{field}: {text % values}")
        self.field = field
        self.text = text
        self.values = values


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to be played.

    index: 0, 1, ... through the whole tournament. round: from 0. number: its place within the round, from 0.
    seats: the entrants' numbers (from 0, in entry order) by seat.
    """

    index: int
    round: int
    number: int
    seats: tuple[int, ...]


def schedule(format: str, entrants: int, seats: int, rounds: int, seed: int) -> list[Pairing]:
    """All matches of a tournament in order of play. Raises BadFormat."""
    count(format, entrants, seats, rounds)
    fill = FORMATS[format].fill
    places = (
        (number, place, seating)
        for number in range(rounds)
        for place, seating in enumerate(fill(Round(entrants, seats, number, seed)))
    )
    return [Pairing(index, *place) for index, place in enumerate(places)]


def count(format: str, entrants: int, seats: int, rounds: int) -> int:
    """How many matches `schedule` makes of the same arguments. Raises BadFormat."""
    chosen = FORMATS.get(format)
    if chosen is None:
        known = ", ".join(FORMATS)
        raise BadFormat("format", _("expected one of %(known)s, got %(got)r"), known=known, got=format)
    if not chosen.least_seats <= seats <= chosen.most_seats:
        fitting = ", ".join(formats_for(seats)) or "none"
        raise BadFormat(
            "format",
            _("%(format)s does not fit a game of %(seats)d seats; fitting: %(fitting)s"),
            format=format,
            seats=seats,
            fitting=fitting,
        )
    if entrants < seats:
        raise BadFormat("entrants", _("expected %(least)d or more, got %(got)d"), least=seats, got=entrants)
    if rounds < 1:
        raise BadFormat("rounds", _("expected 1 or more, got %(got)d"), got=rounds)
    matches = rounds * chosen.count(Round(entrants, seats, 0, 0))
    if matches > MOST_MATCHES:
        raise BadFormat(
            "rounds",
            _("%(rounds)d rounds are %(matches)s matches, expected at most %(most)s"),
            rounds=rounds,
            matches=f"{matches:,}",
            most=f"{MOST_MATCHES:,}",
        )
    return matches


def series(seats: Sequence[int], matches: int) -> list[Pairing]:
    """Matches of the same entrants in the same seats, each a round of its own. Raises BadFormat."""
    if not 1 <= matches <= MOST_MATCHES:
        most = f"{MOST_MATCHES:,}"
        raise BadFormat("matches", _("expected 1 to %(most)s, got %(got)d"), most=most, got=matches)
    return [Pairing(index, index, 0, tuple(seats)) for index in range(matches)]


def formats_for(seats: int) -> tuple[str, ...]:
    """The names of the formats for games with this number of seats."""
    return tuple(name for name, each in FORMATS.items() if each.least_seats <= seats <= each.most_seats)
