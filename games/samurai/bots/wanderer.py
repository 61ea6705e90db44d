"""Wanderer: goes to see lords at random.

Its chance comes from what it is told, so a match can be played again.
"""

import random
import sys


def main():
    print("READY", flush=True)
    turns, _daimyo, lords = map(int, sys.stdin.readline().split())
    settings = sys.stdin.readline()
    for _ in range(turns):
        block = sys.stdin.readline()
        day = block.split()[1] == "D"
        for _ in range(lords + (2 if day else 1)):
            block += sys.stdin.readline()
        chance = random.Random(settings + block)
        print(*chance.choices(range(lords), k=5 if day else 2), flush=True)


main()
