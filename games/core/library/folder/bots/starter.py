"""Starter bot: legal, short, and yours to change.

It is started once a match and talks over standard input and output: say READY, then answer every question
with one of the moves in it. Print to sys.stderr to debug: only you can read it.
"""

import random
import sys


def choose(seat, seen, moves):
    """One of `moves`. seat: your number, from 0. seen: the lines that say what you see. Make this part clever."""
    return random.choice(moves)


def main():
    print("READY", flush=True)
    for head in sys.stdin:
        seat, lines, count = map(int, head.split())
        seen = [input() for _ in range(lines)]
        moves = [input() for _ in range(count)]
        print(choose(seat, seen, moves), flush=True)  # without flush=True the answer may never leave


main()
