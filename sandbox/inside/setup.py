"""What the agent knows about its box, fixed when the box is opened."""

from __future__ import annotations

import os

from . import kernel, uids

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from typing import Any

WORK, TMP, SHM, GAME = "/box/work", "/box/tmp", "/box/shm", "/box/game"
GAME_FILE = GAME + "/file.txt"
FILES = "/bot"


class Setup:
    def __init__(self, fields: dict[str, Any], program: bytes) -> None:
        """`fields`: a sandbox.boxes.agent_messages.BoxSpec. `program`: the system call filter of bots."""
        self.uids: bool = fields["uids"]  # a uid for each session (Docker); otherwise namespaces
        self.command: list[str] = fields["command"]
        self.python: str | None = fields["python"]  # entry file, if bots are forked from this interpreter
        # An engine without root runs the agent as a user whose other processes RLIMIT_NPROC counts, too. Then
        # only processes that have another uid already get that limit, so the agent spawns no bot.
        self.agent_is_counted = self.uids and not uids.is_root_of_machine()
        # instead of by a spawner
        self.spawned_by_agent: bool = fields["spawned_by_agent"] and not self.agent_is_counted
        self.key: int = fields["key"]  # lets the agent bypass its filter (kernel.use_key)
        self.memory: int = fields["memory"]  # bytes
        self.memory_counted: bool = fields["memory_counted"]  # by the kernel, for all processes together
        self.processes: int = fields["processes"]
        self.work: int = fields["work"]  # bytes
        self.open_files: int = fields["open_files"]
        self.cpu_s: int | None = fields["cpu_s"]
        self.packages: str = fields["packages"]  # a folder of packages for Python bots, "" for none
        self.environment: dict[str, str] = fields["environment"]
        self.filter = kernel.Filter(program)  # in addition to the agent's own filter
        # Descriptors of the control group's counters, if there is a group: `oom` (kills for lack of memory)
        # and `processor` (CPU time of everything that was ever in the group).
        self.counts: dict[str, int] = {}
        self.proc = os.open("/proc", os.O_RDONLY | os.O_CLOEXEC)  # the agent's own, in any namespace
        self.schedstat = os.open("/proc/self/schedstat", os.O_RDONLY | os.O_CLOEXEC)  # the agent's
        # The agent's oom_score_adj, which its children inherit.
        self.oom_score_adj = os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
        self.own_oom_score_adj = os.pread(self.oom_score_adj, 16, 0)
        self.code: bytes | None = None  # the compiled entry file; only bots load it
        self.small: list[tuple[str, int, bytes]] = []  # copied into every work folder: name, mode, content
        self.copied = 0  # bytes that these take there
        self.linked: list[str] = []  # too large to copy: links to the read-only files

    def missing_program(self) -> str:
        """The program that the bots' command names, if it is neither here nor a file of theirs; else ""."""
        program = self.command[0] if self.command else ""
        folders = self.environment["PATH"].split(":")
        is_there = (
            not program
            or "/" in program
            or any(os.access(f"{folder}/{program}", os.X_OK) for folder in folders)
        )
        return "" if is_there else program

    def oom_kills(self) -> int:
        """How many processes of this box the kernel has killed for lack of memory."""
        words = self._count("oom")
        return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0

    def waited_us(self) -> int:
        """How long the agent has waited for a processor."""
        return int(os.pread(self.schedstat, 100, 0).split()[1]) // 1000

    def processor_us(self) -> int:
        """CPU time that this box has used, its agent included; 0 if it is not counted."""
        words = self._count("processor")
        if len(words) == 1:  # cgroup version 1: nanoseconds
            return int(words[0]) // 1000
        return int(words[words.index(b"usage_usec") + 1]) if b"usage_usec" in words else 0

    def _count(self, name: str) -> list[bytes]:
        return os.pread(self.counts[name], 4096, 0).split() if name in self.counts else []
