"""What spectators see of a running match of Coup: all but the cards in the hands and in the court deck."""

from __future__ import annotations

from games.core.game import Json
from games.core.public import Frame

HIDDEN = "?"  # a card


def public(frame: Frame) -> dict[str, Json]:
    """How many cards there are in a hand, and in an exchange, is known; which ones is not."""
    shown: dict[str, Json] = {**frame, "hands": [_covered(hand) for hand in frame["hands"]]}
    if "kept" in frame:
        shown |= {"drawn": _covered(frame["drawn"]), "kept": _covered(frame["kept"])}
    return shown


def _covered(cards: str) -> str:
    return HIDDEN * len(cards)
