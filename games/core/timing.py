"""How long each answer of a match took. No second run reproduces this, so it is stored beside the record.

Times are in microseconds, in columns for each seat, in the order of the seat's asks. Only two digits are
kept, rounded down: the rest is noise that would take more room than the record. CPU time and wait time are
read only for answers that came near their limit, so most of them are missing.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeVar, cast

from games.core.fields import Fields, Read, or_none
from games.core.game import Json
from games.core.record import LARGEST_NUMBER, MOST_SEATS, READER, BadRecord, canonical, fields, read_object

_T = TypeVar("_T")


class SeatTiming(NamedTuple):
    """One seat's answers, in the order of its asks. wait_us: the part of wall_us that is not charged.

    cpu_us, wait_us: as long as wall_us, with None where they were not read; () if they never were. host:
    likewise, what the host did while the bot was too slow.
    """

    wall_us: tuple[int, ...]
    cpu_us: tuple[int | None, ...] = ()
    wait_us: tuple[int | None, ...] = ()
    host: tuple[str, ...] = ()


@dataclass(frozen=True)
class Timing:
    """The times of a match. started: ISO time, or "". seconds: wall time of the match. seats: by seat."""

    seats: tuple[SeatTiming, ...]
    started: str = ""
    seconds: float = 0.0


def two_digits(microseconds: int) -> int:
    """The first two digits of a time, zeros for the rest: 1987 is 1900."""
    scale = 1
    while microseconds >= 100 * scale:
        scale *= 10
    return microseconds // scale * scale


def to_json(timing: Timing) -> str:
    """Canonical JSON, with two digits of each time. A column in which nothing was read is left out."""
    return canonical(
        {
            "seats": [
                {
                    name: [two_digits(time) if isinstance(time, int) else time for time in column]
                    for name, column in seat._asdict().items()
                    if name == "wall_us" or column
                }
                for seat in timing.seats
            ],
            "started": timing.started,
            "seconds": timing.seconds,
        }
    )


def from_json(text: str | bytes) -> Timing:
    """Read timing from an untrusted source. Raises BadRecord with the path of the first wrong field."""
    top = read_object(text)
    seats = top.items("seats", _seat)
    if len(seats) > MOST_SEATS:
        raise BadRecord(f"seats: expected at most {MOST_SEATS}, got {len(seats)}")
    return top.done(Timing(seats, top.text("started"), read_seconds(top)))


def read_seconds(top: Fields) -> float:
    """Read a number of seconds, at least 0. Raises BadRecord."""
    value = top.take("seconds")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_NUMBER:
        raise READER.wrong("seconds", "seconds", value)
    return float(value)


def _seat(value: Json, path: str) -> SeatTiming:
    seat = fields(value, path)
    wall = _times(seat.take("wall_us"), seat.at("wall_us"), _microseconds)
    cpu, wait = (_column(seat, name, len(wall), or_none(_microseconds)) for name in ("cpu_us", "wait_us"))
    return seat.done(SeatTiming(wall, cpu, wait, _column(seat, "host", len(wall), READER.text)))


def _times(value: Json, path: str, read: Read[_T]) -> tuple[_T, ...]:
    if isinstance(value, list) and all(
        [type(number) is int and 0 <= number <= LARGEST_NUMBER for number in value]
    ):
        return tuple(cast("list[_T]", value))  # the usual case; otherwise READER names the wrong value
    return READER.items(value, path, read)


def _column(seat: Fields, name: str, length: int, read: Read[_T]) -> tuple[_T, ...]:
    column = _times(seat.take(name, []), seat.at(name), read)
    if column and len(column) != length:
        raise BadRecord(f"{seat.at(name)}: expected {length} of them, as in wall_us, got {len(column)}")
    return column


_microseconds = READER.whole(0, LARGEST_NUMBER)
