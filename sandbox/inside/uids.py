"""User ids that nobody has."""

import os


def random_uid() -> int:
    """A uid that nothing else uses, from the upper half of those that may be used here.

    0 where there is no other (a user namespace that maps one uid). RLIMIT_NPROC counts the processes
    of a uid wherever they are, so no two bots at a time should share one; the range is wide enough
    to draw from without looking.
    """
    with open("/proc/self/uid_map") as file:
        mapped = max(int(first) + int(count) for first, _, count in map(str.split, file))
    half = min(mapped, 1 << 31) // 2
    return half + int.from_bytes(os.urandom(4), "little") % (half - 1) if half > 1 else 0
