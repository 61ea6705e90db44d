"""remembering: finds when the latest three rounds occurred before, and expects the same throw after them."""

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}
LENGTH = 3
Past = list[list[str]]


def remembering(their_past: Past, my_past: Past, their_claim: str | None, my_claim: str | None) -> str:
    expected = "R"
    recent = their_past[-LENGTH:]
    for start in range(len(their_past) - LENGTH - 1, -1, -1):
        if their_past[start : start + LENGTH] == recent:
            expected = their_past[start + LENGTH][1]
            break
    return BEATEN_BY[expected]
