"""starter: short, legal, and yours to change.

A bot is a function of four arguments: the only one in its file, or the one with the file's name. It is
called twice a round, first for the move that it claims, then for the move that it throws. Printing is
allowed and goes to a log that only you can read. Global variables live as long as the match.
"""

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}


def starter(their_past, my_past, their_claim, my_claim):
    """Return "R", "P" or "S".

    their_past, my_past: one [claimed, thrown] for each round so far, the oldest first. their_claim,
    my_claim: of this round; both None when it is the claim that is asked for.
    """
    if their_claim is None:  # claim what would have won the last round
        return BEATEN_BY[their_past[-1][1]] if their_past else "R"
    if their_past and their_past[-1][0] != their_past[-1][1]:  # they broke their word, so we beat their claim
        return BEATEN_BY[their_claim]
    return my_claim
