"""Samurai starter bot: legal, short, and yours to change.

Agon starts this file once a match and talks to it over standard input and output. Say READY,
read the settings, then for each of the nine turns read its block and print your picks in one
line: five lords by day, two by night.
Print to sys.stderr to debug: only you can read it.
"""

import sys


def read_numbers():
    return [int(word) for word in sys.stdin.readline().split()]


def choose(strengths, shown, mine, night, picks):
    """A list of `picks` lords, each 0 to 5; a lord may be there more than once. Make this part clever.

    strengths: of the six lords. shown[lord][daimyo]: intimacy as everybody sees it, you being
    daimyo 0. mine[lord]: your real intimacy, nights included. night: how often each lord was
    picked in the night before, by all four of you (None on a night turn).
    """
    # Go where strength is high and we have done little so far.
    mine = list(mine)
    chosen = []
    for _ in range(picks):
        lord = max(range(6), key=lambda lord: strengths[lord] - mine[lord])
        mine[lord] += 1
        chosen.append(lord)
    return chosen


def main():
    print("READY", flush=True)
    turns, _daimyo, lords = read_numbers()
    strengths = read_numbers()
    for _ in range(turns):
        _turn, time = sys.stdin.readline().split()
        shown = [read_numbers() for _ in range(lords)]
        mine = read_numbers()
        night = read_numbers() if time == "D" else None
        chosen = choose(strengths, shown, mine, night, 5 if time == "D" else 2)
        print(*chosen, flush=True)  # without flush=True the answer may never leave


main()
