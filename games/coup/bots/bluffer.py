"""Bluffer: claims whatever pays best, held or not, and trusts that nobody dares to look.

Dukes for the tax, assassins as soon as three coins are there, a Contessa against every knife.
Once it has been caught it has one card left, and then it lies only where the truth would kill it.
"""

import sys

GIVEN_UP = {"_": "~", "'": "^", "<": "*", "=": "!", "0": "$"}
WORTH = "!$^*~"  # the best card first: a bluffer fears the knife


def choose(cards, their_coins, my_coins, moves):
    careful = len(cards) == 1
    if "C" in moves:
        return "C"
    if "I\n" in moves:
        if "A" in moves and (not careful or "^" in cards):
            return "A"
        if "S" in moves and "*" in cards and their_coins >= 2:
            return "S"
        return "T" if not careful or "$" in cards else "F"
    if "s" in moves:  # a knife: always a Contessa
        return "s"
    if "d" in moves:  # foreign aid: always a Duke, unless the last card is at stake
        return "d" if not careful or "$" in cards else "p"
    if "c" in moves:  # a thief: always a Captain
        return "c" if not careful or "*" in cards or "~" in cards else "p"
    for quiet in ("p", "\n"):  # never challenges
        if quiet in moves:
            return quiet
    # What is left is a card to show (there is only one then) or to give up.
    return max(moves, key=lambda move: WORTH.find(GIVEN_UP.get(move[0], "")))


def main():
    path, their_coins, my_coins, cards, *moves = sys.argv[1:]
    with open(path, "a", newline="") as file:
        file.write(choose(cards, int(their_coins), int(my_coins), moves))
    if len(cards) > 2:
        print("".join(sorted(cards, key=WORTH.index)[: len(cards) - 2]))


main()
