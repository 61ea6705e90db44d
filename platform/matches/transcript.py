"""A match as text: the story that its game's `story.py` tells, or the exchanges as they were sent and
answered.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from agon.phrases import translated
from contest.replay_data import Language, in_words, plain_fault
from contest.text import escape_controls
from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.manifest import file_of
from games.core.match_log import Exchange, MatchLog
from games.core.replay import frame_of_step
from games.core.story import Scene
from matches import records
from matches.models import Seat

LONGEST_RAW = 4000  # characters shown of one message
STDERR_SHOWN = 4 * 1024  # bytes shown on a page; all of it in the download

_LANGUAGE = Language(_, translated)


class LineView(NamedTuple):
    """seat: None for the game itself. took_us: charged microseconds, None where no seat was asked.

    step: of the fault; None where there is none.
    """

    seat: int | None
    bot: str
    text: str
    took_us: int | None
    fault: FaultCause | None
    step: int | None = None

    @property
    def anchor(self) -> str:
        """The id of the exchange that it is about; "" if there is none."""
        return "" if self.seat is None or self.step is None else anchor(self.step, self.seat)


class SceneView(NamedTuple):
    """A part of the story under one title. bot: a name, if it is about one. faulty: it has a fault."""

    title: str
    bot: str
    lines: list[LineView]
    faulty: bool
    frame: int | None = None  # of the replay, from 0, at which it begins


class ExchangeView(NamedTuple):
    """One ask and its answer as they went over the wire."""

    step: int
    seat: int
    bot: str
    kind: str
    sent: str
    reply: str
    took_us: int | None
    fault: FaultCause | None

    @property
    def anchor(self) -> str:
        """The id of the exchange on the page."""
        return anchor(self.step, self.seat)


class StderrView(NamedTuple):
    """What a bot wrote to its standard error. cut: whether there is more of it."""

    seat: Seat
    text: str
    cut: bool


def stderr(seat: Seat) -> StderrView | None:
    """For readers that `matches.access` allows; None where the bot wrote nothing, or it is lost."""
    try:
        data = records.stderr(seat)
    except FileNotFoundError:
        return None
    shown = escape_controls(data[:STDERR_SHOWN].decode(errors="replace"))
    return StderrView(seat, shown, len(data) > STDERR_SHOWN) if data else None


def anchor(step: int, seat: int) -> str:
    """The id of a fault, or of an exchange, within its page."""
    return f"step-{step}-{seat}"


def places(told: Sequence[SceneView | ExchangeView]) -> dict[str, int]:
    """The number of the scene or exchange, from 0, that shows each fault, by anchor."""
    found: dict[str, int] = {}
    for number, each in enumerate(told):
        faulty = [each] if isinstance(each, ExchangeView) else [line for line in each.lines if line.fault]
        for one in faulty:
            if one.anchor:
                found.setdefault(one.anchor, number)
    return found


def has_story(game: str) -> bool:
    return file_of(game, "story.py") is not None


def story(log: MatchLog) -> list[SceneView]:
    """The match in words and in the reader's language; each line with the time its answer took."""
    module = importlib.import_module(f"games.{log.game}.story")
    left = {(each.step, each.seat): each for each in log.exchanges}
    frame_of = frame_of_step(log)
    told = [_scene(scene, log, left, frame_of) for scene in module.tell(log)]
    return told + list(_untold(log, left))


def doubts(log: MatchLog, seat: int) -> list[str]:
    """What a bot's author should know about answers that were no faults (games.core.story)."""
    if not has_story(log.game):
        return []
    module = importlib.import_module(f"games.{log.game}.story")
    lines = module.doubts(log, seat) if hasattr(module, "doubts") else ()
    return [in_words(line.text, line.values, _) for line in lines]


def exchanges(log: MatchLog) -> list[ExchangeView]:
    return [exchange_view(log, each) for each in log.exchanges]


def exchange_view(log: MatchLog, each: Exchange) -> ExchangeView:
    return ExchangeView(
        step=each.step,
        seat=each.seat,
        bot=log.seats[each.seat].name,
        kind=each.kind,
        sent=_shown(each.sent),
        reply=_shown(each.reply),
        took_us=each.charged_us,
        fault=plain_fault(each.fault, _LANGUAGE),
    )


def _scene(
    scene: Scene, log: MatchLog, left: dict[tuple[int, int], Exchange], frame_of: Callable[[int], int]
) -> SceneView:
    """left: the exchanges that no line has been about yet, by step and seat."""
    lines = []
    for line in scene.lines:
        about = None if line.step is None or line.seat is None else left.pop((line.step, line.seat), None)
        lines.append(
            LineView(
                seat=line.seat,
                bot="" if line.seat is None else log.seats[line.seat].name,
                text=in_words(line.text, line.values, _),
                took_us=None if about is None else about.charged_us,
                fault=None if about is None else plain_fault(about.fault, _LANGUAGE),
                step=None if about is None or about.fault is None else about.step,
            )
        )
    bot = "" if scene.seat is None else log.seats[scene.seat].name
    step = next((line.step for line in scene.lines if line.step is not None), None)
    return SceneView(
        in_words(scene.title, scene.values, _),
        bot,
        lines,
        any(each.fault for each in lines),
        None if step is None else frame_of(step),
    )


def _untold(log: MatchLog, left: dict[tuple[int, int], Exchange]) -> Iterator[SceneView]:
    """A last scene of the faults that the story does not mention: at the start, or at asks that led to
    nothing.
    """
    untold = [
        fault for fault in log.faults if fault.kind == FaultKind.START or (fault.step, fault.seat) in left
    ]
    if untold:
        lines = [
            LineView(
                fault.seat,
                log.seats[fault.seat].name,
                "",
                None,
                FaultCause(fault.kind, escape_controls(translated(fault.reason))),
                fault.step,
            )
            for fault in untold
        ]
        yield SceneView(_("Faults"), "", lines, True)


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
