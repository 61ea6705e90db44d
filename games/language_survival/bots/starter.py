"""Language Survival starter bot: legal, short, and yours to change.

Agon starts this file once a match and talks to it over standard input and output. Say READY, read the
settings, then for each of the nine turns read its block and print your picks in one line: five
languages on a weekday, two on a holiday.
Print to sys.stderr to debug: only you can read it.
"""

import sys


def read_numbers():
    return [int(word) for word in sys.stdin.readline().split()]


def choose(attention, shown, mine, holiday, picks):
    """A list of `picks` languages, each 0 to 5; one may be there more than once. Make this part clever.

    attention: of the six languages. shown[language][player]: believers as everybody sees them, you
    being player 0. mine[language]: your real believers, holidays included. holiday: how often each
    language was picked on the holiday before, by all four of you (None on a holiday turn).
    """
    # Go where attention is high and we have few believers so far.
    mine = list(mine)
    chosen = []
    for _ in range(picks):
        language = max(range(6), key=lambda language: attention[language] - mine[language])
        mine[language] += 1
        chosen.append(language)
    return chosen


def main():
    print("READY", flush=True)
    turns, _players, languages = read_numbers()
    attention = read_numbers()
    for _ in range(turns):
        _turn, day = sys.stdin.readline().split()
        shown = [read_numbers() for _ in range(languages)]
        mine = read_numbers()
        holiday = read_numbers() if day == "W" else None
        chosen = choose(attention, shown, mine, holiday, 5 if day == "W" else 2)
        print(*chosen, flush=True)  # without flush=True the answer may never leave


main()
