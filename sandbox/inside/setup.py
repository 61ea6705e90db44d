"""What the host tells the agent when a box is opened: fixed for the life of the box."""

import os
import re
from dataclasses import dataclass, field
from typing import Any

WORK, TMP, SHM, GAME = "/box/work", "/box/tmp", "/box/shm", "/box/game"
GAME_FILE = GAME + "/file.txt"
FILES = "/bot"


@dataclass
class Setup:
    uids: bool  # a fresh uid for each session (Docker), else fresh namespaces (bubblewrap)
    command: list[str]
    python: str | None  # entry file, when bots are forked from this interpreter
    memory: int  # bytes
    memory_counted: bool  # the kernel counts the memory of all processes together (cgroup)
    processes: int
    work: int  # bytes
    output: int  # bytes of standard output
    open_files: int
    cpu_s: int | None
    environment: dict[str, str]
    filter: bytes = b""
    oom: int = -1  # descriptor of the cgroup's count of out-of-memory kills
    code: bytes | None = None  # the compiled entry file, opaque here: only bots load it
    small: list[tuple[str, int, bytes]] = field(default_factory=list)  # copied into every work folder
    linked: list[str] = field(default_factory=list)  # too big to copy: links to the read-only files

    @classmethod
    def read(cls, fields: dict[str, Any], program: bytes) -> "Setup":
        return cls(filter=program, **fields)

    def oom_kills(self) -> int:
        """How many processes of this box the kernel has killed for lack of memory."""
        if self.oom < 0:
            return 0
        found = re.search(rb"oom_kill (\d+)", os.pread(self.oom, 4096, 0))
        return int(found[1]) if found else 0
