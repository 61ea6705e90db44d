"""What the host tells the agent when a box is opened: fixed for the life of the box."""

from __future__ import annotations

import os

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
        self.memory: int = fields["memory"]  # bytes
        self.memory_counted: bool = fields["memory_counted"]  # by the kernel, for all processes together
        self.processes: int = fields["processes"]
        self.work: int = fields["work"]  # bytes
        self.output: int = fields["output"]  # bytes of standard output
        self.open_files: int = fields["open_files"]
        self.cpu_s: int | None = fields["cpu_s"]
        self.environment: dict[str, str] = fields["environment"]
        self.filter = program  # of system calls
        self.oom = -1  # descriptor of the count of out-of-memory kills
        self.code: bytes | None = None  # the compiled entry file, opaque here: only bots load it
        self.small: list[tuple[str, int, bytes]] = []  # copied into every work folder: name, mode, content
        self.linked: list[str] = []  # too big to copy: links to the read-only files

    def oom_kills(self) -> int:
        """How many processes of this box the kernel has killed for lack of memory."""
        if self.oom < 0:
            return 0
        words = os.pread(self.oom, 4096, 0).split()
        return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0
