"""What the host tells the agent when a box is opened: fixed for the life of the box."""

from __future__ import annotations

import os

from . import kernel

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from typing import Any

WORK, TMP, SHM, GAME = "/box/work", "/box/tmp", "/box/shm", "/box/game"
GAME_FILE = GAME + "/file.txt"
FILES = "/bot"


class Setup:
    def __init__(self, fields: dict[str, Any], program: bytes) -> None:
        self.uids: bool = fields["uids"]  # a fresh uid for each session (Docker), else namespaces
        self.command: list[str] = fields["command"]
        self.python: str | None = fields["python"]  # entry file, when bots are forked from this interpreter
        self.direct: bool = fields["direct"]  # bots are programs that the agent itself starts
        self.key: int = fields["key"]  # with which the filter lets the agent make rooms (kernel.use_key)
        self.memory: int = fields["memory"]  # bytes
        self.memory_counted: bool = fields["memory_counted"]  # by the kernel, for all processes together
        self.processes: int = fields["processes"]
        self.work: int = fields["work"]  # bytes
        self.output: int = fields["output"]  # bytes of standard output
        self.open_files: int = fields["open_files"]
        self.cpu_s: int | None = fields["cpu_s"]
        self.environment: dict[str, str] = fields["environment"]
        self.filter = kernel.Filter(program)  # of system calls, beside the one that the agent has put on
        # Descriptors of what the control group of this box counts, as far as there is one: `oom`, kills for
        # lack of memory, and `processor`, the time used by everything that has ever been in it.
        self.counts: dict[str, int] = {}
        self.proc = os.open("/proc", os.O_RDONLY | os.O_CLOEXEC)  # the agent's, wherever it stands
        # Where the agent's preference for being killed when memory runs out is set: its children inherit it.
        self.preference = os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
        self.own_preference = os.pread(self.preference, 16, 0)
        self.code: bytes | None = None  # the compiled entry file, opaque here: only bots load it
        self.small: list[tuple[str, int, bytes]] = []  # copied into every work folder: name, mode, content
        self.copied = 0  # bytes that those take there
        self.linked: list[str] = []  # too much to copy: links to the read-only files

    def oom_kills(self) -> int:
        """How many processes of this box the kernel has killed for lack of memory."""
        words = self._count("oom")
        return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0

    def processor_us(self) -> int:
        """Microseconds of processor time that this box has used, its agent included; 0 if nobody counts."""
        words = self._count("processor")
        if len(words) == 1:  # version 1, nanoseconds
            return int(words[0]) // 1000
        return int(words[words.index(b"usage_usec") + 1]) if b"usage_usec" in words else 0

    def _count(self, name: str) -> list[bytes]:
        return os.pread(self.counts[name], 4096, 0).split() if name in self.counts else []
