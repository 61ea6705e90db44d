"""Takes a coin until it can afford a coup; never lies, never blocks, never challenges."""

import sys

path, _their_coins, _my_coins, cards = sys.argv[1:5]
moves = sys.argv[5:]
wanted = [move for move in ("C", "p", "\n", "I\n") if move in moves]
move = wanted[0] if wanted else moves[-1]
with open(path, "a", newline="") as history:
    history.write(move)
if len(cards) > 2 and move == "\n":
    print(cards[2:])
