"""A match of Honest Rock-Paper-Scissors as a story: a scene is a round, told from the frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.story import Scene, StoryLine, Term, mark

_ = mark
NAMES = {"R": _("rock"), "P": _("paper"), "S": _("scissors")}


def tell(log: MatchLog) -> list[Scene]:
    """Frame n is round n + 1: the result of steps 2n (the claims) and 2n + 1 (the throws)."""
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    return [_round(number, frame) for number, frame in enumerate(frames)]


def _round(number: int, frame: dict[str, Any]) -> Scene:
    first, second = frame["score"]
    values: dict[str, str | int | Term] = {"round": number + 1, "first": first, "second": second}
    claims = [
        _move(seat, 2 * number, _("claims %(move)s"), move) for seat, move in enumerate(frame["claims"])
    ]
    throws = [
        _move(
            seat,
            2 * number + 1,
            _("throws %(move)s, as claimed") if move == claimed else _("throws %(move)s"),
            move,
        )
        for seat, (claimed, move) in enumerate(zip(frame["claims"], frame["throws"], strict=True))
    ]
    return Scene(_("Round %(round)s: %(first)s to %(second)s points"), values, claims + throws)


def _move(seat: int, step: int, text: str, move: str) -> StoryLine:
    return StoryLine(seat, step, text, {"move": Term(NAMES[move])})
