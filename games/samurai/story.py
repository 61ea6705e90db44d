"""A match of Samurai as a story: a scene is a day or a night, told from the frames."""

from collections.abc import Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.story import Scene, StoryLine, mark
from games.core.wording import exact
from games.hidden_favor import counted, slips

_ = mark


def tell(log: MatchLog) -> list[Scene]:
    """The lords, then every turn. Frame n + 1 is the result of step n.

    While a match is played the picks of nights are hidden.
    """
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    lords, *turns = frames
    strengths = ", ".join(f"{lord}: {strength}" for lord, strength in enumerate(lords["strengths"]))
    scenes = [
        Scene(
            _("The lords"),
            {},
            [StoryLine(None, None, _("strengths: %(strengths)s"), {"strengths": strengths})],
        )
    ]
    for step, frame in enumerate(turns):
        title = _("Turn %(turn)s, day") if frame["phase"] == "D" else _("Turn %(turn)s, night")
        lines = [
            StoryLine(seat, step, _("negotiates with lord %(lords)s"), {"lords": counted(picks)})
            for seat, picks in enumerate(frame["picks"])
            if picks
        ] or [StoryLine(None, step, _("what is done by night is hidden until the end"), {})]
        if frame["turn"] in (5, 9):
            lines += [_total(seat, total) for seat, total in enumerate(frame["totals"])]
        scenes.append(Scene(title, {"turn": frame["turn"]}, lines))
    return scenes


def _total(seat: int, total: Any) -> StoryLine:
    text = _("stands at %(total)s points after the battle")
    if exact(total) == "1":
        text = _("stands at 1 point after the battle")
    return StoryLine(seat, None, text, {"total": exact(total)})


def doubts(log: MatchLog, seat: int) -> list[StoryLine]:
    """The answers of a seat in which a word was no lord, or words were missing or too many."""
    no_target = _(
        "Step %(step)s: %(word)s is not a lord, so it counts as lord 0. Print whole numbers from 0 "
        "to 5 only, separated by spaces."
    )
    wrong_count = _(
        "Step %(step)s: expected %(expected)s numbers in one line, got %(got)s. Missing ones count "
        "as lord 0, and the rest is ignored."
    )
    return slips(log, seat, no_target, wrong_count)
