"""Preacher: speaks where the spirit moves it, more often for languages with more attention.

The spirit comes from what it reads, so a match can be played again.
"""

import random
import sys


def main():
    print("READY", flush=True)
    turns, _players, languages = map(int, sys.stdin.readline().split())
    settings = sys.stdin.readline()
    weights = [int(word) ** 2 for word in settings.split()]
    for _ in range(turns):
        block = sys.stdin.readline()
        weekday = block.split()[1] == "W"
        for _ in range(languages + (2 if weekday else 1)):
            block += sys.stdin.readline()
        spirit = random.Random(settings + block)
        print(*spirit.choices(range(languages), weights, k=5 if weekday else 2), flush=True)


main()
