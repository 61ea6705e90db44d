"""Plays legally for two turns, then raises."""

import sys


def main() -> None:
    print("READY", flush=True)
    sys.stdin.readline()
    sys.stdin.readline()
    for turn in range(1, 10):
        day = sys.stdin.readline().split()[1] == "D"
        for _ in range(8 if day else 7):
            sys.stdin.readline()
        if turn == 3:
            raise RuntimeError("the third move was too hard")
        print(*([turn % 6] * (5 if day else 2)), flush=True)


main()
