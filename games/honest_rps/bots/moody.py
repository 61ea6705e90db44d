"""moody: keeps its word until it loses a round; in the one after that it throws anything else."""

import random

BEATS = {"R": "S", "P": "R", "S": "P"}


def moody(their_past, my_past, their_claim, my_claim):
    if their_claim is None:
        return random.choice("RPS")
    if my_past and BEATS[their_past[-1][1]] == my_past[-1][1]:
        return random.choice([move for move in "RPS" if move != my_claim])
    return my_claim
