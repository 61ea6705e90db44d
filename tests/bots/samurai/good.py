"""Goes round the lords one after another; never faults."""

import sys


def main() -> None:
    print("READY", flush=True)
    turns, _daimyo, lords = map(int, sys.stdin.readline().split())
    sys.stdin.readline()
    following = 0
    for _ in range(turns):
        day = sys.stdin.readline().split()[1] == "D"
        for _ in range(lords + (2 if day else 1)):
            sys.stdin.readline()
        picks = [(following + i) % lords for i in range(5 if day else 2)]
        following = (picks[-1] + 1) % lords
        print(*picks, flush=True)


main()
