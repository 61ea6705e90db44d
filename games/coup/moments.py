"""Key moments of Coup: unchallenged bluffs, challenges and their results, cards lost.

A player's standing is its coins plus 7 for each card, since a coup costs 7 coins and takes a card.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.moments import Moment, Standing
from games.core.story import Term, mark
from games.coup.moves import CLAIMS
from games.coup.public import HIDDEN
from games.coup.story import ACTIONS, NAMES

_ = mark
CARD_WORTH = 7


def standings(log: MatchLog) -> list[Standing]:
    frames: Sequence[Any] = log.frames
    return [
        [coins + CARD_WORTH * len(hand) for coins, hand in zip(frame["coins"], frame["hands"], strict=True)]
        for frame in frames
    ]


def moments(log: MatchLog) -> list[Moment]:
    frames: Sequence[Any] = log.frames
    return [moment for number in range(1, len(frames)) for moment in _of_frame(frames, number)]


def _of_frame(frames: Sequence[Any], number: int) -> Iterator[Moment]:
    frame = frames[number]
    event, seat, move = frame["event"], frame["seat"], frame["move"]
    hand = frame["hands"][seat]
    if move in CLAIMS and CLAIMS[move] not in hand and HIDDEN not in hand:
        yield Moment(number, _("bluffs: claims the %(card)s without holding it"), _card(CLAIMS[move]), seat)
    elif event == "show":
        yield Moment(number, _("was challenged and shows the %(card)s"), _card(frame["card"]), seat)
    elif event == "coup":
        yield Moment(number, ACTIONS[event], {}, seat)
    elif event == "give_up":
        caught = frames[number - 1]["event"] == "challenge"
        both = frame["both"]
        text = _("is caught bluffing and loses the %(card)s") if caught else _("gives up the %(card)s")
        if both:
            text = _("loses both cards at once")
        yield Moment(number, text, {} if both else _card(frame["card"]), seat)


def _card(card: str) -> dict[str, str | int | Term]:
    return {"card": Term(NAMES[card])}
