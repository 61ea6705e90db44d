"""Starter bot: legal, short, and yours to change.

It is started once a match and talks over standard input and output: say READY, then answer every line
with a number. Print to sys.stderr to debug: only you can read it.
"""


def choose(most, theirs):
    """A number from 1 to `most`. theirs: what the opponent has named so far. Make this part clever."""
    return min(range(most, 0, -1), key=theirs.count)


def main():
    print("READY", flush=True)
    rounds, most = map(int, input().split())
    theirs = []
    for _ in range(rounds - 1):
        print(choose(most, theirs), flush=True)  # without flush=True the answer may never leave
        _mine, their = map(int, input().split())
        theirs.append(their)
    print(choose(most, theirs), flush=True)


main()
