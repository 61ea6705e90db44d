"""Honest: plays every card it holds and never claims one that it does not.

It challenges only what cannot be true: when all three copies of the claimed card are in its
own hand or face up on the table.
"""

import sys

SHOWN, GIVEN_UP = "~^*!$", "_'<=0"
CLAIMED_BY = {"E": "~", "A": "^", "S": "*", "T": "$", "a": "~", "c": "*", "s": "!", "d": "$"}
WORTH = "$^*!~"  # the best card first


def worst_card(moves):
    """The given-up card (perhaps with its newline) that is missed least."""
    return max(moves, key=lambda move: WORTH.index(SHOWN[GIVEN_UP.index(move[0])]))


def impossible(claim, history, cards):
    """True if no copy of the claimed card can be in the other hand."""
    card = CLAIMED_BY[claim]
    face_up = history.count(GIVEN_UP[SHOWN.index(card)])
    return face_up + cards.count(card) == 3


def my_turn(history, their_coins, cards, moves):
    if "C" in moves:
        return "C"
    if "A" in moves and "^" in cards:
        return "A"
    if "S" in moves and "*" in cards and their_coins >= 2:
        return "S"
    if "T" in moves and "$" in cards:
        return "T"
    if "~" in cards and len(set(cards)) < 2:  # two Ambassadors, or only one card left: look for better
        return "E"
    # Foreign aid, until somebody claims the Duke that stops it; then income is the safe way.
    return "I\n" if "Fd" in history else "F"


def choose(history, their_coins, cards, moves):
    if len(moves) == 1:
        return moves[0]
    if "I\n" in moves:
        return my_turn(history, their_coins, cards, moves)
    last = history[-1]
    if "q" in moves and last in CLAIMED_BY and impossible(last, history, cards):
        return "q"
    for block, card in (("d", "$"), ("s", "!"), ("c", "*"), ("a", "~")):
        if block in moves and card in cards:
            return block
    if "p" in moves:
        return "p"
    if "\n" in moves:
        return "\n"
    return worst_card([move for move in moves if move[0] in GIVEN_UP])


def main():
    path, their_coins, _my_coins, cards, *moves = sys.argv[1:]
    with open(path) as file:
        history = file.read()
    with open(path, "a", newline="") as file:
        file.write(choose(history, int(their_coins), cards, moves))
    if len(cards) > 2:
        # Two different cards do more than two equal ones.
        kept = sorted(cards, key=lambda card: WORTH.index(card))
        kept = list(dict.fromkeys(kept)) + [card for card in WORTH if cards.count(card) > 1]
        print("".join(kept[: len(cards) - 2]))


main()
