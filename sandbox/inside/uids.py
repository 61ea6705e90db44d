"""User ids that nothing else uses."""

import os


def random_uid() -> int:
    """A uid from the upper half of those that are mapped here; 0 if only one is mapped.

    RLIMIT_NPROC counts all processes of a uid, wherever they are, so no two bots should have the same one at
    a time. The range is so wide that random draws need no check for collisions.
    """
    with open("/proc/self/uid_map") as file:
        mapped = max(int(first) + int(count) for first, _, count in map(str.split, file))
    half = min(mapped, 1 << 31) // 2
    return half + int.from_bytes(os.urandom(4), "little") % (half - 1) if half > 1 else 0


def is_root_of_machine() -> bool:
    """Whether user 0 here is user 0 of the machine, whose processes RLIMIT_NPROC does not bound."""
    with open("/proc/self/uid_map") as file:
        return file.read().split()[:2] == ["0", "0"]
