"""A match for reading: told by its game's `story.py`, or as the exchange of what was sent and answered."""

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from contest.text import escape_controls
from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.manifest import file_of
from games.core.record import Exchange, Record
from games.core.story import Scene, Term
from matches import records
from matches.models import Seat

LONGEST_RAW = 4000  # characters shown of one message
STDERR_SHOWN = 4 * 1024  # bytes shown on a page; all of it in the download


class LineView(NamedTuple):
    """seat: None for the game itself. took_us: charged microseconds, None where no seat was asked."""

    seat: int | None
    bot: str
    text: str
    took_us: int | None
    fault: FaultCause | None


class SceneView(NamedTuple):
    title: str
    bot: str
    lines: list[LineView]
    faulty: bool


class ExchangeView(NamedTuple):
    """One ask and its answer as they went over the wire."""

    step: int
    seat: int
    bot: str
    kind: str
    sent: str
    reply: str
    took_us: int
    fault: FaultCause | None


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
    shown = escape_controls(data[:STDERR_SHOWN].decode(errors="replace"))
    return Stderr(seat, shown, len(data) > STDERR_SHOWN) if data else None


def has_story(game: str) -> bool:
    return file_of(game, "story.py") is not None


def story(record: Record) -> list[SceneView]:
    """The match in words and in the reader's language; each line with the time its answer took."""
    module = importlib.import_module(f"games.{record.game}.story")
    left = {(each.step, each.seat): each for each in record.exchanges}
    told = [_scene(scene, record, left) for scene in module.tell(record)]
    return told + list(_untold(record, left))


def exchanges(record: Record) -> list[ExchangeView]:
    return [
        ExchangeView(
            step=each.step,
            seat=each.seat,
            bot=record.seats[each.seat].name,
            kind=each.kind,
            sent=_shown(each.sent),
            reply=_shown(each.reply),
            took_us=_charged(each),
            fault=_plain_fault(each.fault),
        )
        for each in record.exchanges
    ]


def _scene(scene: Scene, record: Record, left: dict[tuple[int, int], Exchange]) -> SceneView:
    """left: the exchanges that no line has been about yet, by step and seat."""
    lines = []
    for line in scene.lines:
        about = None if line.step is None or line.seat is None else left.pop((line.step, line.seat), None)
        lines.append(
            LineView(
                seat=line.seat,
                bot="" if line.seat is None else record.seats[line.seat].name,
                text=_translated(line.text, line.values),
                took_us=None if about is None else _charged(about),
                fault=None if about is None else _plain_fault(about.fault),
            )
        )
    bot = "" if scene.seat is None else record.seats[scene.seat].name
    return SceneView(_translated(scene.title, scene.values), bot, lines, any(each.fault for each in lines))


def _untold(record: Record, left: dict[tuple[int, int], Exchange]) -> Iterator[SceneView]:
    """Faults at asks that no scene told, and before the first one: they led to nothing, and come last."""
    untold = [
        fault for fault in record.faults if fault.kind == FaultKind.START or (fault.step, fault.seat) in left
    ]
    if untold:
        lines = [
            LineView(
                fault.seat,
                record.seats[fault.seat].name,
                "",
                None,
                FaultCause(fault.kind, escape_controls(fault.reason)),
            )
            for fault in untold
        ]
        yield SceneView(_("Faults"), "", lines, True)


def _translated(text: str, values: dict[str, Any]) -> str:
    return _(text) % {name: _in_words(value) for name, value in values.items()}


def _in_words(value: Any) -> Any:
    if isinstance(value, Term):
        return _(value)
    return escape_controls(value) if isinstance(value, str) else value


def _charged(exchange: Exchange) -> int:
    return max(0, exchange.wall_us - (exchange.wait_us or 0))


def _shown(message: Json) -> str:
    """What was sent or answered, as text: lines as they are, a program's arguments one by one."""
    if message is None:
        return ""
    if isinstance(message, dict):
        return "\n".join(f"{escape_controls(name)}: {_shown_value(value)}" for name, value in message.items())
    return _cut(str(message).rstrip("\n"))


def _shown_value(value: Json) -> str:
    if isinstance(value, list):
        return _cut(" ".join(repr(each) if isinstance(each, str) else str(each) for each in value))
    return _cut(repr(value) if isinstance(value, str) else str(value))


def _cut(text: str) -> str:
    return escape_controls(text) if len(text) <= LONGEST_RAW else escape_controls(text[:LONGEST_RAW]) + "…"


def _plain_fault(fault: FaultCause | None) -> FaultCause | None:
    return fault and fault._replace(reason=escape_controls(fault.reason))
