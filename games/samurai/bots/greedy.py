"""Greedy: all for the two strongest lords, every day and every night.

It leads where it goes and comes last everywhere else, which costs more than it brings.
"""

import sys


def main():
    print("READY", flush=True)
    turns, _daimyo, lords = map(int, sys.stdin.readline().split())
    strengths = list(map(int, sys.stdin.readline().split()))
    first, second = sorted(range(lords), key=lambda lord: -strengths[lord])[:2]
    for _ in range(turns):
        day = sys.stdin.readline().split()[1] == "D"
        for _ in range(lords + (2 if day else 1)):
            sys.stdin.readline()
        print(*([first, second, first, second, first] if day else [first, second]), flush=True)


main()
