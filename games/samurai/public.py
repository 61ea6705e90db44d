"""What spectators see of a running match of Samurai: what the daimyo have been shown."""

from games.core.game import Json
from games.core.public import Frame
from games.hidden_favor import shown_only
from games.samurai.referee import BATTLES


def public(frame: Frame) -> dict[str, Json] | None:
    """None for the last battle, which reveals how the nights after turn 5 were spent.

    The points of the first battle follow from what turn 5 has revealed.
    """
    if frame["turn"] == BATTLES[-1]:
        return None
    return shown_only(frame, secret=frame.get("phase") == "N")
