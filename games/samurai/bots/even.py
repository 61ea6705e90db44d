"""Even: treats all lords alike, in an order that starts with the strongest.

Never far behind anywhere, hardly ever in front.
"""

import sys


def main():
    print("READY", flush=True)
    turns, _daimyo, lords = map(int, sys.stdin.readline().split())
    strengths = list(map(int, sys.stdin.readline().split()))
    order = sorted(range(lords), key=lambda lord: -strengths[lord])
    for _ in range(turns):
        day = sys.stdin.readline().split()[1] == "D"
        for _ in range(lords):
            sys.stdin.readline()
        mine = list(map(int, sys.stdin.readline().split()))
        if day:
            sys.stdin.readline()
        picks = []
        for _ in range(5 if day else 2):
            lord = min(order, key=lambda lord: mine[lord])  # the first in the order among equals
            mine[lord] += 1 if day else 2
            picks.append(lord)
        print(*picks, flush=True)


main()
