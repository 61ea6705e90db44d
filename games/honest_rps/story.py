"""A match of Honest Rock-Paper-Scissors as a story: a scene is a round, told from the frames."""

from collections.abc import Sequence
from typing import Any

from games.core.match_log import Exchange, MatchLog
from games.core.story import Scene, StoryLine, Term, mark

_ = mark
NAMES = {"R": _("rock"), "P": _("paper"), "S": _("scissors")}


def tell(log: MatchLog) -> list[Scene]:
    """Frame n is round n + 1: the result of steps 2n (the claims) and 2n + 1 (the throws)."""
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    rounds = [_round(number, frame) for number, frame in enumerate(frames)]
    unfinished = [
        _unfinished_line(answer, len(frames) + 1)
        for answer in log.exchanges
        if _is_unfinished(answer, len(frames))
    ]
    title = _("Round %(round)s, which was not finished")
    return [*rounds, Scene(title, {"round": len(frames) + 1}, unfinished)] if unfinished else rounds


def _is_unfinished(answer: Exchange, rounds: int) -> bool:
    """Whether it is an answer of the round in which the match ended."""
    return answer.step >= 2 * rounds and answer.fault is None and _letter(answer) in NAMES


def _letter(answer: Exchange) -> str:
    return str(answer.reply).strip(" \t\r")


def _unfinished_line(answer: Exchange, round: int) -> StoryLine:
    text = (
        _("throws %(move)s in round %(round)s")
        if answer.step % 2
        else _("claims %(move)s in round %(round)s")
    )
    return StoryLine(answer.seat, answer.step, text, {"move": Term(NAMES[_letter(answer)]), "round": round})


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
