"""Keeps warm boxes between matches: opening a box takes 70 to 300 ms, a session in a warm one 3 ms.

The number of boxes is limited, since each has processes (with Docker also some of the engine's). So is their
memory, as the agent measures it when the box has become warm. It does not grow while a box is idle, because
nothing of a bot is left in it: a box that a session did not leave clean is closed. The memory that a bot uses
while it plays is not included; only its box limits that.
"""

import os
from collections import Counter, OrderedDict

from sandbox.api import Artifact, Box, LanguageMissing, Limits, Sandbox, SandboxError
from sandbox.boxes import cgroup
from sandbox.languages.registry import all_languages

# With more bots than this, matches need cold boxes, which cost as much as a short match. A container costs
# the engine two processes, and a fifth of a second when it is closed.
MOST_BOXES = {"bubblewrap": 128, "docker": 64}
SETTING = "AGON_WARM_MIB"


class Pool:
    """Boxes of one sandbox: at most `most`, idle ones included, and idle ones of at most `mib` MiB together.

    A box is lent to one user at a time; a submission that plays against itself gets two. If there are too
    many boxes, an idle one is closed: the second box of a submission that has two, otherwise the least
    recently used. Boxes that are lent are never closed, so there are more than `most` while more are lent.
    Not thread-safe.
    """

    def __init__(
        self, sandbox: Sandbox, limits: Limits, most: int | None = None, mib: int | None = None
    ) -> None:
        """limits: the default of take(). most: by default that of MOST_BOXES. mib: by default warm_mib()."""
        self.sandbox = sandbox
        self.limits = limits
        self.most = MOST_BOXES[sandbox.name] if most is None else most
        self.kib = (warm_mib() if mib is None else mib) << 10
        self._idle: OrderedDict[int, Box] = OrderedDict()  # least recently used first
        self._kinds: dict[int, tuple[str, Limits]] = {}  # of every box, lent or idle

    def take(self, artifact: Artifact, limits: Limits | None = None) -> Box:
        """A box for this artifact with these limits, a warm one if possible.

        Raises LanguageMissing, which names the language, and SandboxError.
        """
        kind = (artifact.digest, limits or self.limits)
        # Bots of a warm box could not be started any more; a new box says what is missing.
        is_lacking = artifact.python is None and self.sandbox.lacks(artifact.command[0])
        for key in [key for key in reversed(self._idle) if self._kinds[key] == kind]:
            box = self._idle.pop(key)
            if box.alive and not is_lacking:
                return box
            self._drop(box)
        self._evict(self.most - 1)
        box = self._open(artifact, kind[1])
        self._kinds[id(box)] = kind
        return box

    def _open(self, artifact: Artifact, limits: Limits) -> Box:
        try:
            box = self.sandbox.open(artifact, limits)
        except LanguageMissing as missing:
            missing.language = artifact.language
            raise
        # A command that its author wrote may name anything: such a bot fails to start.
        if box.missing and any(language.slug == artifact.language for language in all_languages()):
            box.close()
            raise LanguageMissing(f"{box.missing} is not installed", artifact.language)
        return box

    def give(self, box: Box) -> None:
        """Return a box. One that is no longer alive is dropped."""
        if box.alive:
            self._idle[id(box)] = box
            self._evict(self.most)
        else:
            self._drop(box)

    @property
    def digests(self) -> set[str]:
        """The artifacts of all boxes, lent or idle."""
        return {digest for digest, _ in self._kinds.values()}

    def close(self) -> None:
        """Close the idle boxes. Boxes that are still lent are closed by their users."""
        self._evict(0)

    def _evict(self, most: int) -> None:
        while self._idle and (len(self._kinds) > most or self._idle_kib() > self.kib):
            self._drop(self._idle.pop(self._least_needed()))

    def _least_needed(self) -> int:
        """The key of the idle box to close.

        In a round robin a bot needs its only box again soon, but a second one only when it next plays itself.
        """
        kinds = Counter(self._kinds.values())
        return next((key for key in self._idle if kinds[self._kinds[key]] > 1), next(iter(self._idle)))

    def _idle_kib(self) -> int:
        return sum(box.kib for box in self._idle.values())

    def _drop(self, box: Box) -> None:
        del self._kinds[id(box)]
        box.close()


def warm_mib() -> int:
    """What the idle boxes of one worker may take: AGON_WARM_MIB, by default its share of a quarter of the
    memory.

    There is one worker per processor. Raises SandboxError if the setting is not a number.
    """
    setting = os.environ.get(SETTING)
    if not setting:
        return cgroup.machine_mib() // 4 // (os.cpu_count() or 1)
    if not setting.isascii() or not setting.isdigit():
        raise SandboxError(f"{SETTING}: expected a number of MiB, got {setting[:40]!r}")
    return int(setting)
