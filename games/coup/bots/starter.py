"""Coup starter bot: legal, short, and yours to change.

Agon runs this file afresh for every move:

    python3 starter.py HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]

Append exactly one of the MOVEs to the history file and end normally.
Files written beside the program stay there until the match is over.
Print to sys.stderr to debug: only you can read it.

Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke
"""

import sys


def choose(history, their_coins, my_coins, cards, moves):
    """One of `moves`. This is the part to make clever.

    `history` is everything played so far; every line is one turn, the last one may be unfinished.
    """
    if "C" in moves:  # a coup cannot be stopped
        return "C"
    if "A" in moves and "^" in cards:  # three coins for a card, and we do have an Assassin
        return "A"
    if "T" in moves and "$" in cards:  # tax, and we do have a Duke
        return "T"
    if "I\n" in moves:  # income is always safe
        return "I\n"
    if "s" in moves and "!" in cards:  # stop an assassin, and we do have a Contessa
        return "s"
    if "p" in moves:  # let it pass
        return "p"
    if "\n" in moves:  # end the turn
        return "\n"
    return moves[-1]  # give up or show a card


def keep(cards, count):
    """After an exchange: the `count` cards to keep out of `cards`, the two new ones first."""
    by_value = sorted(cards, key="$^*!~".index)
    return "".join(by_value[:count])


def main():
    path = sys.argv[1]
    their_coins, my_coins = int(sys.argv[2]), int(sys.argv[3])
    cards, moves = sys.argv[4], sys.argv[5:]
    with open(path) as file:
        history = file.read()
    with open(path, "a", newline="") as file:
        file.write(choose(history, their_coins, my_coins, cards, moves))
    # Three or four cards: our exchange has succeeded, so print those that we keep.
    if len(cards) > 2:
        print(keep(cards, len(cards) - 2))


main()
