"""What spectators see of a running match of Coup: all but the cards in the hands and in the court deck."""

from games.core.game import Json
from games.core.public import Frame

HIDDEN = "?"  # a card


def public(frame: Frame) -> dict[str, Json]:
    """The frame with each card replaced by HIDDEN: only the number of cards in a hand is public."""
    shown: dict[str, Json] = {**frame, "hands": [_covered(hand) for hand in frame["hands"]]}
    if "kept" in frame:
        shown |= {"drawn": _covered(frame["drawn"]), "kept": _covered(frame["kept"])}
    return shown


def _covered(cards: str) -> str:
    return HIDDEN * len(cards)
