"""titfortat: keeps its word to those who kept theirs last round, and believes no liar.

Of a liar it expects what would beat its own claim, and throws what beats that.
"""

import random

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}


def titfortat(their_past, my_past, their_claim, my_claim):
    if their_claim is None:
        return random.choice("RPS")
    if not their_past or their_past[-1][0] == their_past[-1][1]:
        return my_claim
    return BEATEN_BY[BEATEN_BY[my_claim]]
