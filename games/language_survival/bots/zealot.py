"""Zealot: knows one language, the one with the most attention, and talks of nothing else.

It leads there and comes last in the five others.
"""

import sys


def main():
    print("READY", flush=True)
    turns, _players, languages = map(int, sys.stdin.readline().split())
    attention = list(map(int, sys.stdin.readline().split()))
    loved = attention.index(max(attention))
    for _ in range(turns):
        weekday = sys.stdin.readline().split()[1] == "W"
        for _ in range(languages + (2 if weekday else 1)):
            sys.stdin.readline()
        print(*[loved] * (5 if weekday else 2), flush=True)


main()
