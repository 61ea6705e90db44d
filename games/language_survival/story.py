"""A match of Language Survival as a story: a scene is a weekday or a holiday, told from the frames."""

from collections.abc import Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.story import Scene, StoryLine, mark
from games.core.wording import exact
from games.hidden_favor import counted, slips

_ = mark


def tell(log: MatchLog) -> list[Scene]:
    """The languages, every turn, the points. Frame n + 1 is the result of step n.

    While a match is played there are no points yet, and picks on holidays are hidden.
    """
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    start, *turns = frames
    end = turns.pop() if log.is_over else None
    attention = ", ".join(f"{language}: {points}" for language, points in enumerate(start["attention"]))
    known = StoryLine(None, None, _("attention: %(attention)s"), {"attention": attention})
    scenes = [Scene(_("The languages"), {}, [known])]
    for step, frame in enumerate(turns):
        title = _("Turn %(turn)s, weekday") if frame["day"] == "W" else _("Turn %(turn)s, holiday")
        lines = [
            StoryLine(seat, step, _("speaks for language %(languages)s"), {"languages": counted(picks)})
            for seat, picks in enumerate(frame["picks"])
            if picks
        ] or [StoryLine(None, step, _("what is done on a holiday is hidden until the end"), {})]
        scenes.append(Scene(title, {"turn": frame["turn"]}, lines))
    if end is None:
        return scenes
    points = [_points(seat, exact(points)) for seat, points in enumerate(end["points"])]
    return [*scenes, Scene(_("The reckoning"), {}, points)]


def _points(seat: int, points: str) -> StoryLine:
    text = _("ends with 1 point") if points == "1" else _("ends with %(points)s points")
    return StoryLine(seat, None, text, {"points": points})


def doubts(log: MatchLog, seat: int) -> list[StoryLine]:
    """The answers of a seat in which a word was no language, or words were missing or too many."""
    no_target = _(
        "Step %(step)s: %(word)s is not a language, so it counts as language 0. Print whole numbers from 0 "
        "to 5 only, separated by spaces."
    )
    wrong_count = _(
        "Step %(step)s: expected %(expected)s numbers in one line, got %(got)s. Missing ones count "
        "as language 0, and the rest is ignored."
    )
    return slips(log, seat, no_target, wrong_count)
