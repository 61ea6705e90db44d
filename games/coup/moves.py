"""Coup's cards, letters and legal moves: what may be appended to a history.

A card is its shown letter everywhere (hands, deck, argv, exchange answers); in the history it is that letter
when it is shown and the given-up letter when it is lost. The order of legal moves is the original arbiter's.
"""

from __future__ import annotations

from collections.abc import Sequence

AMBASSADOR, ASSASSIN, CAPTAIN, CONTESSA, DUKE = CARDS = "~^*!$"
GIVEN_UP = dict(zip(CARDS, "_'<=0", strict=True))
CARD_OF = {letter: card for card, letter in GIVEN_UP.items()}

CLAIMS = {
    "E": AMBASSADOR,
    "T": DUKE,
    "A": ASSASSIN,
    "S": CAPTAIN,
    "d": DUKE,
    "a": AMBASSADOR,
    "c": CAPTAIN,
    "s": CONTESSA,
}
BLOCKS = "dacs"
FIRST_MOVES = ("I\n", "F", "E", "S", "T")


def legal_moves(history: str, hand: Sequence[str], coins: int, their_coins: int) -> tuple[str, ...]:
    """What the player to move may append to `history`; two equal cards give the same move twice."""
    if not history:
        return FIRST_MOVES
    last = history[-1]
    lost = tuple(GIVEN_UP[card] for card in hand)
    lost_on_turn = tuple(f"{letter}\n" for letter in lost)
    if last == "\n":
        return _actions(coins, their_coins)
    if last == "F":
        return ("d", "p")
    if last in "ET":
        return ("p", "q")
    if last == "S":
        return ("a", "c", "p", "q")
    if last == "A":
        return ("s", "q", *lost)
    if last == "C":
        return lost
    if last in BLOCKS:
        return ("q", "\n")
    if last == "q":
        claim = history[-2]
        if CLAIMS[claim] in hand:
            return (CLAIMS[claim],)
        return lost if claim in BLOCKS else lost_on_turn
    if last in CARDS:
        # The challenge failed: a block is challenged by the player on turn, an action by the other.
        return lost_on_turn if history[-3] in BLOCKS else lost
    return ("\n",)


def is_exchange(line: str) -> bool:
    """Whether the line so far is an exchange that happens: unchallenged, or challenged without success."""
    return line == "Ep" or (line.startswith("Eq~") and len(line) == 4)


def _actions(coins: int, their_coins: int) -> tuple[str, ...]:
    if coins >= 10:
        return ("C",)
    moves = ["I\n", "F", "E", "T"]
    if coins >= 3:
        moves.append("A")
    if coins >= 7:
        moves.append("C")
    if their_coins > 0:
        moves.append("S")
    return tuple(moves)
