"""Names files and groups after the process that makes them, so that others can remove leftovers."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OWN = re.compile(r"agon-(\d+-\d+-\d+-[0-9a-f]{8})-.*")


def this_process() -> str:
    """A name for this process that no other process ever has: "pid-start-namespace-boot".

    A pid means nothing without its pid namespace, and both mean nothing after the machine has been rebooted.
    """
    return f"{os.getpid()}-{_start_ticks(os.getpid())}-{_pid_namespace()}-{_boot_id()}"


def owner_of(name: str) -> str | None:
    """The process that `agon-<process>-<anything>` is named after; None for any other name."""
    matched = _OWN.fullmatch(name)
    return matched[1] if matched else None


def alive(process: str) -> bool:
    """Whether the process of that name may still exist.

    Always true in another PID namespace, which we cannot inspect.
    """
    if owner_of(f"agon-{process}-") is None:
        return False
    pid, started, namespace, boot = process.split("-")
    return boot == _boot_id() and (int(namespace) != _pid_namespace() or _start_ticks(int(pid)) == started)


@contextmanager
def own_folder(parent: Path) -> Iterator[Path]:
    """A fresh folder in `parent`, removed at the end; if this process dies, by remove_leftover_folders()."""
    folder = Path(tempfile.mkdtemp(prefix=f"agon-{this_process()}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftover_folders(parent: Path) -> None:
    """Remove the folders in `parent` that dead processes left, and no others. Never fails."""
    for folder in parent.glob("agon-*"):
        process = owner_of(folder.name)
        if process and not alive(process):
            shutil.rmtree(folder, ignore_errors=True)


def _pid_namespace() -> int:
    return os.stat("/proc/self/ns/pid").st_ino


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]


def _start_ticks(pid: int) -> str:
    """When the process was started, in ticks since boot; "" if it does not exist."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
