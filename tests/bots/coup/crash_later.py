"""Plays legally twice, then raises. It counts its calls in a file of its work folder."""

import sys

with open("calls.txt", "a") as calls:
    calls.write("x")
with open("calls.txt") as calls:
    if len(calls.read()) == 3:
        raise RuntimeError("the third move was too hard")

path, _their_coins, _my_coins, cards = sys.argv[1:5]
moves = sys.argv[5:]
wanted = [move for move in ("p", "\n", "I\n") if move in moves]
move = wanted[0] if wanted else moves[-1]
with open(path, "a", newline="") as history:
    history.write(move)
if len(cards) > 2 and move == "\n":
    print(cards[2:])
