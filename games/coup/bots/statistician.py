"""Statistician: reads the history, counts cards, and acts on the odds.

There are 15 cards, three of each kind. Its own hand and the cards given up are accounted for;
the rest are spread over the other hand and the deck, so the chance that the other hand holds
a given card is a matter of counting. Every claim of that card that went unchallenged makes it
likelier; a card that was shown is back in the deck and its claims count no longer.

It also counts how often the other side challenges. Whoever rarely does may be lied to.
"""

import random
import sys
from collections import Counter
from math import comb

SHOWN, GIVEN_UP = "~^*!$", "_'<=0"
CLAIM = {"E": "~", "A": "^", "S": "*", "T": "$", "a": "~", "c": "*", "s": "!", "d": "$"}
WORTH = "$^!*~"  # the best card first

LIES = 0.4  # how often the other side is taken to claim a card that it does not hold
LAST = 2.0  # what the last card is worth, if one of two is worth 1


class Table:
    """What can be known before a move."""

    def __init__(self, history, cards):
        self.cards = cards
        self.line = history.rsplit("\n", 1)[-1]
        turn = history.count("\n")
        self.me = (turn + len(self.line)) % 2
        self.face_up = Counter(SHOWN[GIVEN_UP.index(c)] for c in history if c in GIVEN_UP)
        self.read(history)

    def read(self, history):
        """Go through all turns once. Within a line the two sides write in turns, its owner first."""
        self.claims = Counter()  # their claims by card
        self.their_hand = 2
        self.challenges = self.believed = 0  # what they did about claims of ours
        for turn, line in enumerate(history.split("\n")):
            for place, letter in enumerate(line):
                if (turn + place) % 2 == self.me:
                    continue
                if place and line[place - 1] in CLAIM:
                    self.challenges += letter == "q"
                    self.believed += letter != "q"
                if letter in CLAIM:
                    self.claims[CLAIM[letter]] += 1
                elif letter in SHOWN and line[0] != "E":
                    self.claims[letter] = 0
                elif letter in GIVEN_UP:
                    self.their_hand -= 1
                    self.claims[SHOWN[GIVEN_UP.index(letter)]] = 0
                    if place and line[place - 1] == "q":  # caught lying
                        self.claims[CLAIM[line[place - 2]]] = 0
            if turn % 2 != self.me and (line == "Ep" or line[:3] == "Eq~"):
                self.claims.clear()  # an exchange: the hand is a new one

    def held(self, card):
        """The chance that the other hand holds `card`."""
        unseen = 15 - len(self.cards) - sum(self.face_up.values())
        copies = 3 - self.cards.count(card) - self.face_up[card]
        if copies <= 0:
            return 0.0
        chance = 1 - comb(unseen - copies, self.their_hand) / comb(unseen, self.their_hand)
        for _ in range(min(3, self.claims[card])):  # Bayes: a holder claims it always, a liar now and then
            chance /= chance + (1 - chance) * LIES
        return chance

    def dares(self):
        """The chance that they challenge a claim of ours; before anything is known, one in four."""
        return (self.challenges + 1) / (self.challenges + self.believed + 4)


def worth_challenging(table, gain=None):
    """Compare what a challenge wins on average with what it costs."""
    chance = table.held(CLAIM[table.line[-1]])
    if gain is None:
        gain = LAST if table.their_hand == 1 else 1
    cost = LAST if len(table.cards) == 1 else 1
    return (1 - chance) * gain > 1.4 * chance * cost


def my_turn(table, their_coins, my_coins, moves, dice):
    cards, dares = table.cards, table.dares()
    if "C" in moves:
        return "C"
    if "A" in moves and ("^" in cards or (dares < 0.3 and table.held("!") < 0.45 and dice.random() < 0.5)):
        return "A"
    if "S" in moves and "*" in cards and their_coins >= 2 and table.held("*") + table.held("~") < 0.8:
        return "S"
    if "$" in cards or (dares < 0.4 and table.face_up["$"] < 2 and dice.random() < 0.7):
        return "T"
    if "~" in cards and not {"^", "$"} & set(cards):
        return "E"
    if table.held("$") < 0.6:
        return "F"
    return "I\n"


def under_the_knife(table, losing, dice):
    """They claim an Assassin. With two cards a wrong challenge or an exposed lie costs both."""
    if "!" in table.cards:
        return "s"
    lie_works = 1 - table.dares() if table.face_up["!"] < 3 else 0.0
    challenge_works = 1 - table.held("^")
    if len(table.cards) == 1:
        return "s" if lie_works > challenge_works else "q"
    if challenge_works > 0.75:
        return "q"
    if lie_works > 0.7 and dice.random() < 0.5:
        return "s"
    return losing


def choose(table, their_coins, my_coins, moves, dice):
    if len(moves) == 1:
        return moves[0]
    if "I\n" in moves:
        return my_turn(table, their_coins, my_coins, moves, dice)
    losing = [move for move in moves if move[0] in GIVEN_UP]
    losing = max(losing, key=lambda move: WORTH.index(SHOWN[GIVEN_UP.index(move[0])])) if losing else None
    if "s" in moves:
        return under_the_knife(table, losing, dice)
    for block, card in (("d", "$"), ("c", "*"), ("a", "~")):
        if block in moves and card in table.cards:
            return block
    if "q" in moves:
        # A false Contessa costs its owner everything, so the challenge may win the match.
        if worth_challenging(table, gain=LAST if table.line[-1] == "s" else None):
            return "q"
    if "d" in moves and table.dares() < 0.3 and dice.random() < 0.5:
        return "d"
    for quiet in ("p", "\n"):
        if quiet in moves:
            return quiet
    return losing


def main():
    path, *seen = sys.argv[1:]
    their_coins, my_coins, cards, moves = int(seen[0]), int(seen[1]), seen[2], seen[3:]
    with open(path) as file:
        history = file.read()
    dice = random.Random(history + "|" + " ".join(seen))  # the same situation, the same decision
    with open(path, "a", newline="") as file:
        file.write(choose(Table(history, cards), their_coins, my_coins, moves, dice))
    if len(cards) > 2:
        kept = list(dict.fromkeys(sorted(cards, key=WORTH.index)))  # two kinds do more than one
        kept += [card for card in WORTH if cards.count(card) > 1]
        print("".join(kept[: len(cards) - 2]))


main()
