"""Polyglot: speaks for every language in turn, six picks a round, whatever its attention.

It is seldom last and seldom first.
"""

import itertools
import sys


def main():
    print("READY", flush=True)
    turns, _players, languages = map(int, sys.stdin.readline().split())
    sys.stdin.readline()
    following = itertools.cycle(range(languages))
    for _ in range(turns):
        weekday = sys.stdin.readline().split()[1] == "W"
        for _ in range(languages + (2 if weekday else 1)):
            sys.stdin.readline()
        print(*itertools.islice(following, 5 if weekday else 2), flush=True)


main()
