"""A game of Camel Up as a story: a scene is a round, told from the frames."""

from collections.abc import Iterator, Sequence
from typing import Any

from games.camel_up import bets
from games.camel_up.bets import LOSER, ROUND, WINNER, Bet, Payout
from games.core.match_log import MatchLog
from games.core.story import Scene, StoryLine, Term, mark

_ = mark
BETS = {
    ROUND: _("bets on camel %(camel)s to win the round"),
    WINNER: _("bets on camel %(camel)s to win the game"),
    LOSER: _("bets on camel %(camel)s to come last"),
}

HIDDEN_BETS = {
    WINNER: _("bets on the winner of the game; the camel is hidden"),
    LOSER: _("bets on the last camel of the game; the camel is hidden"),
}
KINDS = {
    ROUND: Term(_("bet on the round")),
    WINNER: Term(_("bet on the winner")),
    LOSER: Term(_("bet on the last")),
}


def tell(log: MatchLog) -> list[Scene]:
    """Frame n + 1 is the result of step n; the coins are those of the last frame.

    While a match is played there is no end to tell, and bets on the game hide their camels.
    """
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    scenes = [Scene(_("The start"), {}, [_start_line(frames[0])])]
    round_bets: list[Bet] = []
    game_bets: list[Bet] = []
    is_new_round = True
    for step, frame in enumerate(frames[1:]):
        if is_new_round:
            scenes.append(Scene(_("Round %(round)s"), {"round": len(scenes)}, []))
            round_bets = []
        kind, *values = frame["action"]
        if kind in BETS:
            (round_bets if kind == ROUND else game_bets).append(Bet(kind, values[0], frame["seat"]))
        scenes[-1].lines.extend(_turn_lines(step, frame))
        is_new_round = "round" in frame
        if is_new_round:
            scenes[-1].lines.extend(map(_payout_line, bets.round_payouts(round_bets, frame["round"])))
    if not log.is_over:
        return scenes
    over = "round" in frames[-1]  # False if a bot could not be started
    settled = (
        [_payout_line(payout) for payout in bets.game_payouts(game_bets, frames[-1]["round"])] if over else []
    )
    ends = [_final_coins(seat, coins) for seat, coins in enumerate(frames[-1]["coins"])]
    return [*scenes, Scene(_("The end"), {}, [*settled, *ends])]


def describe_bet(kind: int, camel: int | None) -> tuple[str, dict[str, str | int | Term]]:
    """A text and its values. camel: None where it is hidden."""
    return (HIDDEN_BETS[kind], {}) if camel is None else (BETS[kind], {"camel": camel})


def _start_line(frame: dict[str, Any]) -> StoryLine:
    squares = "; ".join(f"{square}: {', '.join(map(str, camels))}" for square, camels in frame["track"])
    text = _("camels by square, from the bottom up: %(squares)s")
    return StoryLine(None, None, text, {"squares": squares})


def _final_coins(seat: int, coins: int) -> StoryLine:
    text = _("ends with 1 coin") if coins == 1 else _("ends with %(coins)s coins")
    return StoryLine(seat, None, text, {"coins": coins})


def _payout_line(payout: Payout) -> StoryLine:
    """A line that says what a bet earned."""
    bet, coins = payout
    values: dict[str, str | int | Term] = {"camel": bet.camel, "coins": abs(coins), "bet": KINDS[bet.kind]}
    text = _("gets %(coins)s coins: camel %(camel)s, %(bet)s")
    if coins == 1:
        text = _("gets a coin: camel %(camel)s, %(bet)s")
    if coins < 0:
        text = _("loses a coin: camel %(camel)s, %(bet)s")
    return StoryLine(bet.seat, None, text, values)


def _turn_lines(step: int, frame: dict[str, Any]) -> Iterator[StoryLine]:
    seat, (kind, *values) = frame["seat"], frame["action"]
    if kind == 0:
        camel, die, owner = frame["rolled"]
        yield StoryLine(seat, step, _("rolls: camel %(camel)s moves %(die)s"), {"camel": camel, "die": die})
        if owner is not None:
            yield StoryLine(owner, None, _("earns a coin from the trap"), {})
    elif kind == 1:
        text = (
            _("lays a trap on square %(square)s: one further")
            if values[0] > 0
            else _("lays a trap on square %(square)s: one back")
        )
        yield StoryLine(seat, step, text, {"square": values[1]})
    else:
        yield StoryLine(seat, step, *describe_bet(kind, values[0]))
    if "round" in frame:
        first, second, *_others = frame["round"]
        text = _("the round ends: camel %(first)s is first, camel %(second)s second")
        yield StoryLine(None, None, text, {"first": first, "second": second})
