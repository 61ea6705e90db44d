"""averager: at every call, counts all earlier throws, and throws what beats the most frequent one."""

BEATEN_BY = {"R": "P", "P": "S", "S": "R"}
Past = list[list[str]]


def averager(their_past: Past, my_past: Past, their_claim: str | None, my_claim: str | None) -> str:
    counts = {"R": 0, "P": 0, "S": 0}
    for _, thrown in their_past:
        counts[thrown] += 1
    return BEATEN_BY[max(counts, key=counts.__getitem__)]
