"""fibber: claims at random and never throws what it has claimed."""

import random


def fibber(their_past, my_past, their_claim, my_claim):
    return random.choice([move for move in "RPS" if move != my_claim])
