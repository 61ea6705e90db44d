"""What spectators see of a running match of Language Survival: what the players have been shown."""

from games.core.game import Json
from games.core.public import Frame
from games.hidden_favor import shown_only


def public(frame: Frame) -> dict[str, Json] | None:
    """None for the reckoning, which reveals how the holidays after turn 5 were spent."""
    return None if "points" in frame else shown_only(frame, secret=frame.get("day") == "H")
