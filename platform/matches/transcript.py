"""A match for reading: told by its game's `story.py`, or as the exchange of what was sent and answered."""

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from contest.text import plain
from games.core.game import Json
from games.core.manifest import file_of
from games.core.record import Record, Turn
from games.core.story import Scene, Term
from matches import records
from matches.models import Seat

LONGEST_RAW = 4000  # characters shown of one message
STDERR_SHOWN = 4 * 1024  # bytes shown on a page; all of it in the download


class Said(NamedTuple):
    """seat: who, None for the game itself. took_us: charged microseconds, None where nobody was asked."""

    seat: int | None
    bot: str
    text: str
    took_us: int | None
    fault: tuple[str, str] | None


class Told(NamedTuple):
    title: str
    bot: str
    said: list[Said]
    faulty: bool


class Exchange(NamedTuple):
    """One ask and its answer as they went over the wire."""

    turn: int
    seat: int
    bot: str
    kind: str
    sent: str
    reply: str
    took_us: int
    fault: tuple[str, str] | None


class Stderr(NamedTuple):
    """What a bot wrote to its standard error; cut: there is more of it."""

    seat: Seat
    text: str
    cut: bool


def stderr(seat: Seat) -> Stderr | None:
    """For eyes that `matches.access` allows; None where the bot wrote nothing, or it is lost."""
    try:
        data = records.stderr(seat)
    except FileNotFoundError:
        return None
    shown = plain(data[:STDERR_SHOWN].decode(errors="replace"))
    return Stderr(seat, shown, len(data) > STDERR_SHOWN) if data else None


def has_story(game: str) -> bool:
    return file_of(game, "story.py") is not None


def story(record: Record) -> list[Told]:
    """The match in words and in the reader's language; each line with the time its answer took."""
    module = importlib.import_module(f"games.{record.game}.story")
    turns = {(turn.turn, turn.seat): turn for turn in record.turns}
    told = [_scene(scene, record, turns) for scene in module.tell(record)]
    return told + list(_untold(record, turns))


def exchanges(record: Record) -> list[Exchange]:
    return [
        Exchange(
            turn=turn.turn,
            seat=turn.seat,
            bot=record.seats[turn.seat].name,
            kind=turn.kind,
            sent=_shown(turn.sent),
            reply=_shown(turn.reply),
            took_us=_charged(turn),
            fault=_plain_fault(turn.fault),
        )
        for turn in record.turns
    ]


def _scene(scene: Scene, record: Record, turns: dict[tuple[int, int], Turn]) -> Told:
    said = []
    for line in scene.lines:
        turn = None if line.turn is None or line.seat is None else turns.pop((line.turn, line.seat), None)
        said.append(
            Said(
                seat=line.seat,
                bot="" if line.seat is None else record.seats[line.seat].name,
                text=_translated(line.text, line.values),
                took_us=None if turn is None else _charged(turn),
                fault=None if turn is None else _plain_fault(turn.fault),
            )
        )
    bot = "" if scene.seat is None else record.seats[scene.seat].name
    return Told(_translated(scene.title, scene.values), bot, said, any(each.fault for each in said))


def _untold(record: Record, turns: dict[tuple[int, int], Turn]) -> Iterator[Told]:
    """Faults at asks that no scene told, and before the first one: they led to nothing, and come last."""
    left = [fault for fault in record.faults if fault.kind == "start" or (fault.turn, fault.seat) in turns]
    if left:
        said = [
            Said(fault.seat, record.seats[fault.seat].name, "", None, (fault.kind, plain(fault.reason)))
            for fault in left
        ]
        yield Told(_("Faults"), "", said, True)


def _translated(text: str, values: dict[str, Any]) -> str:
    return _(text) % {name: _in_words(value) for name, value in values.items()}


def _in_words(value: Any) -> Any:
    if isinstance(value, Term):
        return _(value)
    return plain(value) if isinstance(value, str) else value


def _charged(turn: Turn) -> int:
    return max(0, turn.wall_us - turn.wait_us)


def _shown(message: Json) -> str:
    """What was sent or answered, as text: lines as they are, a program's arguments one by one."""
    if message is None:
        return ""
    if isinstance(message, dict):
        return "\n".join(f"{plain(name)}: {_shown_value(value)}" for name, value in message.items())
    return _cut(str(message).rstrip("\n"))


def _shown_value(value: Json) -> str:
    if isinstance(value, list):
        return _cut(" ".join(repr(each) if isinstance(each, str) else str(each) for each in value))
    return _cut(repr(value) if isinstance(value, str) else str(value))


def _cut(text: str) -> str:
    return plain(text) if len(text) <= LONGEST_RAW else plain(text[:LONGEST_RAW]) + "…"


def _plain_fault(fault: tuple[str, str] | None) -> tuple[str, str] | None:
    return fault and (fault[0], plain(fault[1]))
