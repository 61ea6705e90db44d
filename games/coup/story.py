"""A match of Coup as a story: a scene is one line of the history, told from the frames."""

from collections.abc import Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.story import Scene, StoryLine, Term, mark
from games.coup.moves import AMBASSADOR, ASSASSIN, CAPTAIN, CONTESSA, DUKE

_ = mark
NAMES = {
    AMBASSADOR: _("Ambassador"),
    ASSASSIN: _("Assassin"),
    CAPTAIN: _("Captain"),
    CONTESSA: _("Contessa"),
    DUKE: _("Duke"),
}
ACTIONS = {
    "income": _("takes income: 1 coin"),
    "foreign_aid": _("asks for foreign aid: 2 coins"),
    "coup": _("stages a coup for 7 coins"),
    "exchange": _("claims the Ambassador, to exchange cards"),
    "tax": _("claims the Duke, to tax: 3 coins"),
    "assassinate": _("claims the Assassin, to kill for 3 coins"),
    "steal": _("claims the Captain, to steal 2 coins"),
}


def tell(log: MatchLog) -> list[Scene]:
    """The deal, then a scene for each turn. Frame n + 1 is the result of step n.

    Empty if a bot could not be started: then no card was dealt. While a match is played cards are covered.
    """
    recorded: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    if not recorded:
        return []
    deal, *frames = recorded
    hands = [_hand(seat, deal) for seat in range(len(log.seats))] if log.is_over else []
    scenes = [Scene(_("The deal"), {}, hands)]
    is_new_turn = True
    for step, frame in enumerate(frames):
        if is_new_turn:
            values = {"turn": len(scenes)} | _coins(log.frames[step], frame)
            text = _("turn %(turn)s, coins: %(coins)s against %(theirs)s")
            scenes.append(Scene(text, values, [], frame["seat"]))
        scenes[-1].lines.append(_line(step, frame))
        is_new_turn = str(frame["move"]).endswith("\n")
    return scenes


def _hand(seat: int, deal: dict[str, Any]) -> StoryLine:
    first, second = (Term(NAMES[card]) for card in deal["hands"][seat])
    return StoryLine(seat, None, _("is dealt %(first)s and %(second)s"), {"first": first, "second": second})


def _coins(before: dict[str, Any], frame: dict[str, Any]) -> dict[str, str | int | Term]:
    seat = frame["seat"]
    return {"coins": before["coins"][seat], "theirs": before["coins"][1 - seat]}


def _line(step: int, frame: dict[str, Any]) -> StoryLine:
    event, seat = frame["event"], frame["seat"]
    card = {"card": Term(NAMES[frame["card"]])} if "card" in frame else {}
    if event in ACTIONS:
        return StoryLine(seat, step, ACTIONS[event], {})
    if event == "block":
        return StoryLine(seat, step, _("claims the %(card)s, to block"), {**card})
    if event == "challenge":
        return StoryLine(seat, step, _("does not believe it and challenges"), {})
    if event == "pass":
        return StoryLine(seat, step, _("lets it pass"), {})
    if event == "show":
        text = _("shows the %(card)s and draws a new card") if frame["replaced"] else _("shows the %(card)s")
        return StoryLine(seat, step, text, {**card})
    if event == "give_up":
        text = (
            _("gives up the %(card)s, and the other card with it")
            if frame["both"]
            else _("gives up the %(card)s")
        )
        return StoryLine(seat, step, text, {**card})
    return _end(step, seat, frame)


def _end(step: int, seat: int, frame: dict[str, Any]) -> StoryLine:
    moved = int(frame["coins_moved"])
    if "kept" in frame:
        return StoryLine(
            seat, step, _("looks at two cards of the deck and keeps %(count)s"), {"count": len(frame["kept"])}
        )
    if moved > 0:
        return StoryLine(seat, step, _("gets the coins: %(coins)s more"), {"coins": moved})
    if moved < 0:
        return StoryLine(seat, step, _("pays %(coins)s coins all the same"), {"coins": -moved})
    return StoryLine(seat, step, _("ends the turn"), {})
