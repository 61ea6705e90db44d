"""What a box needs besides what its bots may use: room for the bot's files, and for our own processes."""

from pathlib import Path

from sandbox.api import Limits

_OWN_BYTES = 48 << 20  # memory of the agent, the child that reads /proc, and the spawner
_OWN_PROCESSES = 4  # those, and PID 1 of a session's namespace; as in inside/workspace.py


def files_bytes(folder: Path) -> int:
    """An upper bound of the bytes that the files of a folder take on a tmpfs."""
    return sum(8192 + path.lstat().st_size for path in folder.rglob("*"))


def memory_bytes(limits: Limits, files: int) -> int:
    """The memory limit of a box whose files take `files` bytes: they are in memory, too."""
    return (limits.memory_mib << 20) + files + _OWN_BYTES


def processes(limits: Limits) -> int:
    """The limit on processes and threads of a box."""
    return limits.processes + _OWN_PROCESSES
