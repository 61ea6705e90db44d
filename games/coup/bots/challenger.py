"""Challenger: believes nobody.

Every claim is challenged, except that an assassin is not dared with two cards in hand: who is
wrong there loses both. It is honest itself, since it knows how liars end.
"""

import sys

GIVEN_UP = {"_": "~", "'": "^", "<": "*", "=": "!", "0": "$"}
WORTH = "$^!*~"  # the best card first


def my_turn(their_coins, cards, moves):
    if "C" in moves:
        return "C"
    if "A" in moves and "^" in cards:
        return "A"
    if "T" in moves and "$" in cards:
        return "T"
    if "S" in moves and "*" in cards and their_coins >= 2:
        return "S"
    return "F"  # whoever blocks this will have to show the Duke


def choose(cards, their_coins, moves):
    if "I\n" in moves or "C" in moves:
        return my_turn(their_coins, cards, moves)
    if "s" in moves:
        if "!" in cards:
            return "s"
        if len(cards) == 1:
            return "q"  # the only other way out would be a lie
    elif "q" in moves:
        return "q"
    if "p" in moves:  # foreign aid cannot be challenged, only blocked
        return "d" if "$" in cards else "p"
    losing = [move for move in moves if move[0] in GIVEN_UP]
    return max(losing, key=lambda move: WORTH.index(GIVEN_UP[move[0]])) if losing else moves[0]


def main():
    path, their_coins, _my_coins, cards, *moves = sys.argv[1:]
    with open(path, "a", newline="") as file:
        file.write(choose(cards, int(their_coins), moves))
    if len(cards) > 2:
        print("".join(sorted(cards, key=WORTH.index)[: len(cards) - 2]))


main()
