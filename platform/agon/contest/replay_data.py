"""The data that the replay of a match is drawn from: frames, the story of each, key moments, and the curve.

It is plain JSON for the site's player (static/js/player.js) and the game's viewer. Frames are numbered from
0. The first part holds what concerns the whole match, and the first frames; the other frames of a long match
are fetched in further parts. The curve shows, over the frames, how far ahead each seat was.

Where the game's own code fails, its part is missing: the story, the key moments or the curve.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from agon.contest.reasons import english
from agon.contest.text import escape_controls
from games.core.describing import failures_logged
from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.manifest import UnknownGame, file_of, load, module_of
from games.core.match_log import Exchange, MatchLog
from games.core.moments import Moment, Standing
from games.core.reason import Reason
from games.core.record import RecordedFault
from games.core.replay import frame_of_step
from games.core.story import Scene, StoryLine, Term
from games.core.wording import quote

PART = 1024  # frames sent at once
MOST_MARKS = 2000
MOST_POINTS = 600  # of the curve, per seat
LONGEST_REPLY = 80
LONGEST_TEXT = 4000  # characters of one text of a story
LONGEST_STORY = 2 << 20  # characters of the story on one page, or of one part
_LINE = 100  # characters that a line counts besides its text

Translate = Callable[[str], str]
Words = Callable[[Reason], str]
Answers: TypeAlias = Mapping[tuple[int, int], Exchange]  # by step and seat


class Language(NamedTuple):
    """Translates into the reader's language. text: a text of a game. reason: the reason of a fault."""

    text: Translate
    reason: Words


ENGLISH = Language(str, english)


class ShownFault(NamedTuple):
    """A fault with its reason in words, escaped."""

    kind: FaultKind
    reason: str


class _FrameStory(NamedTuple):
    """The story of one frame. title: of its scene. by: the scene's seat; None if it belongs to no seat."""

    title: str
    lines: list[dict[str, Json]]
    by: int | None = None


def whole(log: MatchLog, language: Language) -> dict[str, Any]:
    """All frames in one part, for a page that has no server to ask for more."""
    return _head(log, language) | _part(log, language, 0, max(1, len(log.frames)))


def first_part(log: MatchLog, language: Language, at: int = 0) -> dict[str, Any]:
    """What concerns the whole match, and the part that holds frame `at`."""
    return _head(log, language) | part(log, language, at)


def part(log: MatchLog, language: Language, at: int) -> dict[str, Any]:
    """The part that holds frame `at`; past the end, the last one. `from` is the number of its first frame."""
    start = max(0, min(at, len(log.frames) - 1)) // PART * PART
    return _part(log, language, start, start + PART)


def news(log: MatchLog, language: Language, since: int) -> dict[str, Any]:
    """The frames from `since` on of a match that is still being played, and what concerns the whole match."""
    if since >= len(log.frames):
        return {"from": since, "frames": [], "told": []}
    return _head(log, language) | _part(log, language, since, len(log.frames))


def curve(log: MatchLog) -> list[list[float]]:
    """How far ahead each seat was: [frame, one number per seat] for evenly spaced frames; [] if unknown."""
    with failures_logged(log.game):
        standings = _standings(log)
        if len(standings) < 2:
            return []
        step = -(-len(standings) // MOST_POINTS)
        shown = sorted({*range(0, len(standings), step), len(standings) - 1})
        return [[frame, *(round(float(Fraction(score)), 2) for score in standings[frame])] for frame in shown]
    return []


def story_text(text: str, values: dict[str, Any], translate: Translate) -> str:
    """A text of a story, translated, with its placeholders filled in; cut if it is very long."""
    filled = translate(text) % {name: _value(value, translate) for name, value in values.items()}
    cut = filled if len(filled) <= LONGEST_TEXT else f"{filled[:LONGEST_TEXT]}…"
    return cut.encode("utf-8", "backslashreplace").decode()


class Room:
    """How much of a story still fits on a page: more of it would hold up the reader's browser."""

    def __init__(self) -> None:
        self._left = LONGEST_STORY

    def holds(self, text: str) -> bool:
        """Whether a further line with this text fits, which takes the room that it needs."""
        self._left -= len(text) + _LINE
        return self._left >= 0


def shown_fault(fault: FaultCause | RecordedFault | None, language: Language) -> ShownFault | None:
    return fault and ShownFault(fault.kind, escape_controls(language.reason(fault.reason)))


def _head(log: MatchLog, language: Language) -> dict[str, Any]:
    return {
        "game": log.game,
        "version": log.version,
        "seats": [{"name": seat.name} for seat in log.seats],
        "scores": list(log.scores),
        "ranks": list(log.ranks),
        "summary": log.summary,
        "faults": [
            {"seat": fault.seat, "step": fault.step, **(_fault(fault, language) or {})}
            for fault in log.faults
        ],
        "count": max(1, len(log.frames)),
        "part": PART,
        "limit_us": _limit_us(log.game),
        "marks": _marks(log, language),
        "curve": curve(log),
    }


def _part(log: MatchLog, language: Language, start: int, end: int) -> dict[str, Any]:
    frames = log.frames[start:end]
    told = _frame_stories(log, language, start, start + max(1, len(frames)))
    return {"from": start, "frames": list(frames), "told": [frame_story._asdict() for frame_story in told]}


def _limit_us(game: str) -> int:
    """Microseconds that a bot has for an answer; 0 if the game is no longer installed."""
    try:
        return load(game).limits.turn_ms * 1000
    except UnknownGame:
        return 0


# ---- the story, frame by frame ----


def _frame_stories(log: MatchLog, language: Language, start: int, end: int) -> list[_FrameStory]:
    """For each frame from start to end: the title of its scene, its lines, and answers without a line."""
    frame_of = frame_of_step(log)
    answers = {(answered.step, answered.seat): answered for answered in log.exchanges}
    stories = [_FrameStory("", []) for _ in range(start, end)]
    unmentioned: Answers = answers
    with failures_logged(log.game):
        stories, unmentioned = _narrate(log, language, start, end, answers)
    for fault in log.faults:
        if fault.kind == FaultKind.START and start == 0:
            line_of_fault = _line(fault.seat, "", None, language) | {"fault": _fault(fault, language)}
            stories[0].lines.append(line_of_fault)
    for answer in unmentioned.values():
        frame = frame_of(answer.step)
        text = _quoted_reply(log.game, answer)
        if start <= frame < end and (text or answer.fault):
            stories[frame - start].lines.append(_line(answer.seat, text, answer, language))
    return stories


def _narrate(
    log: MatchLog, language: Language, start: int, end: int, answers: Answers
) -> tuple[list[_FrameStory], Answers]:
    """The story of each frame from start to end, and the answers that no line of it is about."""
    unmentioned = dict(answers)
    stories = [_FrameStory("", []) for _ in range(start, end)]
    latest = _FrameStory("", [])
    room = Room()
    for frame, scene, line in _lines_by_frame(log):
        exchange = None
        if line.step is not None and line.seat is not None:
            exchange = unmentioned.pop((line.step, line.seat), None)
        if start <= frame < end:
            here = stories[frame - start]
            latest = _FrameStory(story_text(scene.title, scene.values, language.text), [], scene.seat)
            if not here.title:
                stories[frame - start] = latest._replace(lines=here.lines)
            text = story_text(line.text, line.values, language.text)
            if room.holds(text):
                here.lines.append(_line(line.seat, text, exchange, language))
    stories = [
        story if story.title or not story.lines else latest._replace(lines=story.lines) for story in stories
    ]
    return stories, unmentioned


def _lines_by_frame(log: MatchLog) -> Iterator[tuple[int, Scene, StoryLine]]:
    """Every line of the story with the number of its frame.

    A line that is about no ask has the frame of the line before it. A scene without such lines precedes the
    first frame if it is the first scene, and follows the last frame otherwise.
    """
    frame_of, last = frame_of_step(log), max(0, len(log.frames) - 1)
    frame = 0
    for number, scene in enumerate(_scenes(log)):
        if number and all(line.step is None for line in scene.lines):
            frame = last
        for line in scene.lines:
            if line.step is not None:
                frame = frame_of(line.step)
            yield frame, scene, line


def _scenes(log: MatchLog) -> list[Scene]:
    story = module_of(log.game, "story")
    return list(story.tell(log)) if story else []


def _line(seat: int | None, text: str, exchange: Exchange | None, language: Language) -> dict[str, Json]:
    return {
        "seat": None if seat is None else int(seat),
        "text": text,
        "us": None if exchange is None else exchange.charged_us,
        "fault": None if exchange is None else _fault(exchange.fault, language),
    }


def _fault(fault: FaultCause | RecordedFault | None, language: Language) -> dict[str, Json] | None:
    shown = shown_fault(fault, language)
    return None if shown is None else {"kind": str(shown.kind), "reason": shown.reason}


def _quoted_reply(game: str, exchange: Exchange) -> str:
    """The answer itself, quoted, if the game has no story and the answer was no fault; else ""."""
    if exchange.fault is not None or file_of(game, "story.py") is not None:
        return ""
    return escape_controls(quote(str(exchange.reply), LONGEST_REPLY))


def _value(value: Any, translate: Translate) -> Any:
    if isinstance(value, Term):
        return translate(value)
    return escape_controls(value) if isinstance(value, str) else value


# ---- marks and the curve ----


def _marks(log: MatchLog, language: Language) -> list[list[Json]]:
    """Faults and key moments: [frame, kind, seat, text], in order; faults first where there are too many."""
    frame_of = frame_of_step(log)
    faults: list[list[Json]] = [
        [
            0 if fault.kind == FaultKind.START else frame_of(fault.step),
            "fault",
            fault.seat,
            escape_controls(language.reason(fault.reason)),
        ]
        for fault in log.faults[:MOST_MARKS]
    ]
    moments: list[list[Json]] = []
    with failures_logged(log.game):
        moments = [
            [
                int(moment.frame),
                "moment",
                None if moment.seat is None else int(moment.seat),
                story_text(moment.text, moment.values, language.text),
            ]
            for moment in _moments(log)[: MOST_MARKS - len(faults)]
        ]
    return sorted(faults + moments, key=lambda mark: int(str(mark[0])))


def _moments(log: MatchLog) -> list[Moment]:
    module = module_of(log.game, "moments") if log.frames else None
    return list(module.moments(log)) if module else []


def _standings(log: MatchLog) -> list[Standing]:
    module = module_of(log.game, "moments") if log.frames else None
    return list(module.standings(log)) if module else []
