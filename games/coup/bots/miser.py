"""Miser: takes one coin a turn until a coup can be paid, whatever the cards.

It never claims anything, so it can never be caught; it never challenges and blocks nobody.
Seven quiet turns a coup is its whole plan: a bot that loses to it wastes its cards.
"""

import sys

path, _their_coins, _my_coins, _cards, *moves = sys.argv[1:]

# The first of these that is legal; if none is, a card has to be shown or given up.
wishes = [wish for wish in ("C", "I\n", "p", "\n") if wish in moves]
cards = [move for move in moves if move not in ("s", "q")]

with open(path, "a", newline="") as file:
    file.write(wishes[0] if wishes else cards[0])
