"""believer: takes every claim at its word, and throws what beats it. Claims itself what it wants to be."""

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}


def believer(their_past, my_past, their_claim, my_claim):
    if their_claim is None:
        return "RPS"[len(my_past) % 3]
    return BEATEN_BY[their_claim]
