"""Warm boxes, kept between matches: opening one takes 70 to 300 ms, a session in a warm one 3 ms.

They are bounded twice. In number, since each costs processes (with Docker also one of the engine's). And in
memory, as measured by the agent when the box had become warm: nothing of a bot is left in an idle box, so it
does not grow (a box that does not come clean is closed). What a bot may use while it plays comes on top
and is limited by its box alone.
"""

import os
from collections import OrderedDict

from sandbox.api import Artifact, Box, Limits, Sandbox, SandboxError
from sandbox.boxes import cgroup

MOST = 32
SETTING = "AGON_WARM_MIB"


class Pool:
    """Boxes of one sandbox; at most `most`, idle ones included, and those idle of at most `mib` MiB.

    A box is lent to one user at a time; a submission that plays against itself gets two. When room is
    needed the idle box that was used longest ago is closed. Boxes that are lent are never closed, so
    there can be more than `most` only while more are lent. For one thread.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, most: int = MOST, mib: int | None = None) -> None:
        """`limits` of boxes for which none are named; without `mib` as much as warm_mib() says."""
        self.sandbox = sandbox
        self.limits = limits
        self.most = most
        self.kib = (warm_mib() if mib is None else mib) << 10
        self._idle: OrderedDict[int, Box] = OrderedDict()  # the one used longest ago first
        self._kinds: dict[int, tuple[str, Limits]] = {}  # of every box, lent or idle

    def take(self, artifact: Artifact, limits: Limits | None = None) -> Box:
        """A box for this artifact under these limits, warm if there is one. Raises SandboxError."""
        kind = (artifact.digest, limits or self.limits)
        for key in [key for key in reversed(self._idle) if self._kinds[key] == kind]:
            box = self._idle.pop(key)
            if box.alive:
                return box
            self._drop(box)
        self._make_room(self.most - 1)
        box = self.sandbox.open(artifact, kind[1])
        self._kinds[id(box)] = kind
        return box

    def give(self, box: Box) -> None:
        """Take a box back. One that is no longer alive is forgotten."""
        if box.alive:
            self._idle[id(box)] = box
            self._make_room(self.most)
        else:
            self._drop(box)

    @property
    def digests(self) -> set[str]:
        """The artifacts that boxes, lent or idle, show to their bots."""
        return {digest for digest, _ in self._kinds.values()}

    def close(self) -> None:
        """Close the idle boxes. Boxes still lent are their users' to close."""
        self._make_room(0)

    def _make_room(self, most: int) -> None:
        while self._idle and (len(self._kinds) > most or self._idle_kib() > self.kib):
            _, oldest = self._idle.popitem(last=False)
            self._drop(oldest)

    def _idle_kib(self) -> int:
        return sum(box.kib for box in self._idle.values())

    def _drop(self, box: Box) -> None:
        del self._kinds[id(box)]
        box.close()


def warm_mib() -> int:
    """What the idle boxes of one worker may take: AGON_WARM_MIB, else its share of a quarter of the memory.

    There is a worker a processor. Raises SandboxError if the setting is no number.
    """
    setting = os.environ.get(SETTING)
    if not setting:
        return cgroup.machine_mib() // 4 // (os.cpu_count() or 1)
    if not setting.isascii() or not setting.isdigit():
        raise SandboxError(f"{SETTING}: expected a number of MiB, came {setting[:40]!r}")
    return int(setting)
