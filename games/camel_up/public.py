"""What spectators see of a running match of Camel Up: all but the camels of the bets on the game."""

from games.camel_up.bets import LOSER, WINNER
from games.camel_up.board import FINISH
from games.camel_up.referee import MOST_TURNS
from games.core.game import Json
from games.core.public import Frame


def public(frame: Frame) -> dict[str, Json] | None:
    """The frame, with the camel of a bet on the winner or the loser replaced by None: only the bet is public.

    Returns None for the last frame, because its coins reveal what the bets were.
    """
    if frame["turn"] == MOST_TURNS or any(square >= FINISH for square, _ in frame["track"]):
        return None
    kind, *_ = frame.get("action", [None])
    return dict(frame) if kind not in (WINNER, LOSER) else {**frame, "action": [kind, None]}
