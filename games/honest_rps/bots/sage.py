"""sage: throws so that nobody can gain by knowing how it throws.

After equal claims both do best to keep their word. After different ones, the side that is ahead keeps it
two times in three and else beats the answer to it; the side that is behind throws that answer two
times in three and else keeps its word. Claims are random, so there is nothing to be learnt.
"""

import random

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}


def sage(their_past, my_past, their_claim, my_claim):
    if their_claim is None:
        return random.choice("RPS")
    if their_claim == my_claim:
        return my_claim
    keeps = random.randrange(3)
    if my_claim == BEATEN_BY[their_claim]:  # ahead
        return my_claim if keeps else BEATEN_BY[BEATEN_BY[my_claim]]
    return BEATEN_BY[their_claim] if keeps else my_claim
