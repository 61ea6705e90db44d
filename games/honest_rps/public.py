"""What spectators see of a running match of Honest Rock-Paper-Scissors: every round that is over."""

from games.core.game import Json
from games.core.public import Frame


def public(frame: Frame) -> dict[str, Json]:
    """A frame is made when both have thrown; both learn of each other's throw with their next question."""
    return dict(frame)
