"""trusting: computes from the whole history how often each of the two has kept its word."""

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}
Past = list[list[str]]


def trusting(their_past: Past, my_past: Past, their_claim: str | None, my_claim: str | None) -> str:
    theirs = sum(claimed == thrown for claimed, thrown in their_past)
    mine = sum(claimed == thrown for claimed, thrown in my_past)
    if their_claim is None or my_claim is None:
        return "RPS"[(theirs + mine) % 3]
    return BEATEN_BY[their_claim] if 2 * theirs >= len(their_past) else my_claim
