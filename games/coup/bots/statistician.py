"""Statistician: reads the history, counts cards, and acts on the odds.

It knows 15 cards, three of each kind. Its own hand and the cards given up are accounted for;
the rest are spread over the other hand and the deck, so the chance that the other hand holds
a given card is a matter of counting. Each claim of that card which went unchallenged makes it
likelier; a card that was shown has gone back to the deck and its claims count no longer.
"""

import random
import re
import sys
from math import comb

SHOWN, GIVEN_UP = "~^*!$", "_'<=0"
CLAIMED_BY = {"E": "~", "A": "^", "S": "*", "T": "$", "a": "~", "c": "*", "s": "!", "d": "$"}
WORTH = "$^!*~"  # the best card first

# The other side lies once in so many claims when it does not hold the card. Guessed, then tuned by play.
LIES = 0.40


def lines_of(history):
    """[(owner, line)], owner 0 being the bot that moved first; the unfinished line included."""
    return [(number % 2, line) for number, line in enumerate(history.split("\n")) if line]


def their_claims(history, me):
    """How often the other side has claimed each card since that card was last shown or given up by it."""
    claims = dict.fromkeys(SHOWN, 0)
    for owner, line in lines_of(history):
        claimed = CLAIMED_BY.get(line[0] if owner != me else line[1:2])
        if claimed is None:
            continue
        challenged = "q" in line[1:3] and line.index("q") == (1 if owner != me else 2)
        if challenged and len(line) > line.index("q") + 1:
            claims[claimed] = 0  # the truth came out: swapped for another card, or a lie
        elif line[0] == "E" and owner != me and line != "E":
            claims = dict.fromkeys(SHOWN, 0)  # the hand has changed
        else:
            claims[claimed] += 1
    return claims


def chance_held(card, history, cards, claims, hand):
    """The chance that at least one of the other side's `hand` cards is `card`."""
    face_up = {shown: history.count(given) for shown, given in zip(SHOWN, GIVEN_UP)}
    unseen = 15 - len(cards) - sum(face_up.values())
    copies = 3 - cards.count(card) - face_up[card]
    if copies <= 0:
        return 0.0
    chance = 1 - comb(unseen - copies, hand) / comb(unseen, hand)
    # Bayes, once a claim: a holder makes it, a liar makes it with chance LIES.
    for _ in range(claims):
        chance = chance / (chance + (1 - chance) * LIES)
    return chance


class Table:
    """What is known before this move."""

    def __init__(self, history, their_coins, my_coins, cards):
        self.history, self.cards = history, cards
        self.their_coins, self.my_coins = their_coins, my_coins
        moves_so_far = len(re.findall(r"I\n|[^\n]", history)) if history else 0
        del moves_so_far
        turn = history.count("\n")
        line = history.rsplit("\n", 1)[-1]
        self.line = line
        self.me = turn % 2 if len(line) % 2 == 0 else 1 - turn % 2
        given = 4 - len(re.findall(r"[_'<=0]", history)) - min(len(cards), 2)
        self.their_hand = max(1, given)
        claims = their_claims(history, self.me)
        last = CLAIMED_BY.get(line[-1:])
        self.odds = {
            card: chance_held(card, history, cards, claims[card], self.their_hand) for card in SHOWN
        }
        self.claimed = last
