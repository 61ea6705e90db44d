"""A match as text for its page: the story from the game's `story.py`, or the raw exchanges."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from django.utils.translation import gettext as _

from agon.contest.replay_data import Language, Room, ShownFault, shown_fault, story_text
from agon.contest.text import escape_controls
from agon.site.core.texts.reasons import describe
from agon.site.matches import records
from agon.site.matches.models import Seat
from games.core.describing import failures_logged
from games.core.faults import FaultKind
from games.core.game import Json
from games.core.manifest import file_of, module_of
from games.core.match_log import Exchange, MatchLog
from games.core.replay import frame_of_step
from games.core.story import Scene, StoryLine

LONGEST_RAW = 4000  # characters shown of one message
STDERR_SHOWN = 4 * 1024  # bytes shown on a page; the download has all of it

_LANGUAGE = Language(_, describe)


class LineView(NamedTuple):
    """A line of a scene. seat: None for the game itself.

    took_us: charged microseconds; None if no seat was asked. step: of the fault; None if there is none.
    """

    seat: int | None
    bot: str
    text: str
    took_us: int | None
    fault: ShownFault | None
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
    fault: ShownFault | None

    @property
    def anchor(self) -> str:
        """The id of the exchange on the page."""
        return anchor(self.step, self.seat)


class StderrView(NamedTuple):
    """The beginning of a bot's standard error. cut: whether there is more of it."""

    seat: Seat
    text: str
    cut: bool


def stderr(seat: Seat) -> StderrView | None:
    """The beginning of a bot's standard error; None if it wrote nothing, or that is lost.

    The caller checks access (agon.site.tournaments.match_access).
    """
    try:
        data = records.stderr(seat)
    except FileNotFoundError:
        return None
    shown = escape_controls(data[:STDERR_SHOWN].decode(errors="replace"))
    return StderrView(seat, shown, len(data) > STDERR_SHOWN) if data else None


def anchor(step: int, seat: int) -> str:
    """The id of a fault, or of an exchange, within its page."""
    return f"step-{step}-{seat}"


def fault_positions(parts: Sequence[SceneView | ExchangeView]) -> dict[str, int]:
    """For each fault, by anchor: the number of the scene or exchange that shows it, from 0."""
    positions: dict[str, int] = {}
    for number, part in enumerate(parts):
        faulty = [part] if isinstance(part, ExchangeView) else [line for line in part.lines if line.fault]
        for item in faulty:
            if item.anchor:
                positions.setdefault(item.anchor, number)
    return positions


def has_story(game: str) -> bool:
    return file_of(game, "story.py") is not None


def story(log: MatchLog) -> list[SceneView] | None:
    """The scenes of the match in the reader's language; each line has the time that its answer took.

    None if the game's own code fails.
    """
    unmentioned = {(exchange.step, exchange.seat): exchange for exchange in log.exchanges}
    frame_of = frame_of_step(log)
    with failures_logged(log.game):
        story_scenes = module_of(log.game, "story").tell(log)
        scenes = [_scene(scene, log, unmentioned, frame_of) for scene in story_scenes]
        return scenes + list(_faults_scene(log, unmentioned))
    return None


def shortened(scenes: Sequence[SceneView]) -> list[SceneView]:
    """The scenes of one page, without the lines for which it has no room; "…" stands where a scene is cut."""
    room = Room()
    cut = []
    for scene in scenes:
        lines = list(takewhile(lambda line: room.holds(line.text), scene.lines))
        more = [LineView(None, "", "…", None, None)] if len(lines) < len(scene.lines) else []
        cut.append(scene._replace(lines=lines + more))
    return cut


def doubts(log: MatchLog, seat: int) -> list[str]:
    """Hints for the bot's author about answers that were no faults (games.core.story)."""
    return [words for words, _line in _doubts(log, seat)]


def doubtful_answers(log: MatchLog, seat: int) -> list[tuple[str, ExchangeView]]:
    """The same, each with what was sent and answered."""
    asked = {exchange.step: exchange for exchange in log.exchanges if exchange.seat == seat}
    return [
        (words, exchange_view(log, asked[line.step]))
        for words, line in _doubts(log, seat)
        if line.step in asked
    ]


def _doubts(log: MatchLog, seat: int) -> list[tuple[str, StoryLine]]:
    """Each in words; none if the game's own code fails."""
    with failures_logged(log.game):
        module = module_of(log.game, "story")
        if hasattr(module, "doubts"):
            return [(story_text(line.text, line.values, _), line) for line in module.doubts(log, seat)]
    return []


def exchanges(log: MatchLog) -> list[ExchangeView]:
    return [exchange_view(log, exchange) for exchange in log.exchanges]


def exchange_view(log: MatchLog, exchange: Exchange) -> ExchangeView:
    return ExchangeView(
        step=exchange.step,
        seat=exchange.seat,
        bot=log.seats[exchange.seat].name,
        kind=escape_controls(str(exchange.kind)),
        sent=_message_text(exchange.sent),
        reply=_message_text(exchange.reply),
        took_us=exchange.charged_us,
        fault=shown_fault(exchange.fault, _LANGUAGE),
    )


def _scene(
    scene: Scene, log: MatchLog, unmentioned: dict[tuple[int, int], Exchange], frame_of: Callable[[int], int]
) -> SceneView:
    """unmentioned: the exchanges that no line has been about yet, by step and seat."""
    lines = []
    for line in scene.lines:
        exchange = (
            None if line.step is None or line.seat is None else unmentioned.pop((line.step, line.seat), None)
        )
        lines.append(
            LineView(
                seat=line.seat,
                bot="" if line.seat is None else log.seats[line.seat].name,
                text=story_text(line.text, line.values, _),
                took_us=None if exchange is None else exchange.charged_us,
                fault=None if exchange is None else shown_fault(exchange.fault, _LANGUAGE),
                step=None if exchange is None or exchange.fault is None else exchange.step,
            )
        )
    bot = "" if scene.seat is None else log.seats[scene.seat].name
    step = next((line.step for line in scene.lines if line.step is not None), None)
    return SceneView(
        story_text(scene.title, scene.values, _),
        bot,
        lines,
        any(line_view.fault for line_view in lines),
        None if step is None else frame_of(step),
    )


def _faults_scene(log: MatchLog, unmentioned: dict[tuple[int, int], Exchange]) -> Iterator[SceneView]:
    """A last scene with the faults that the story omits: at the start, or at asks without effect."""
    faults = [
        fault
        for fault in log.faults
        if fault.kind == FaultKind.START or (fault.step, fault.seat) in unmentioned
    ]
    if faults:
        lines = [
            LineView(
                fault.seat,
                log.seats[fault.seat].name,
                "",
                None,
                shown_fault(fault, _LANGUAGE),
                fault.step,
            )
            for fault in faults
        ]
        yield SceneView(_("Faults"), "", lines, True)


def _message_text(message: Json) -> str:
    """A message or a reply as text: lines unchanged, each argument of a program on a line of its own."""
    if message is None:
        return ""
    if isinstance(message, dict):
        return "\n".join(f"{escape_controls(name)}: {_value_text(value)}" for name, value in message.items())
    return _shortened(str(message).rstrip("\n"))


def _value_text(value: Json) -> str:
    if isinstance(value, list):
        return _shortened(" ".join(repr(item) if isinstance(item, str) else str(item) for item in value))
    return _shortened(repr(value) if isinstance(value, str) else str(value))


def _shortened(text: str) -> str:
    return escape_controls(text) if len(text) <= LONGEST_RAW else escape_controls(text[:LONGEST_RAW]) + "…"
