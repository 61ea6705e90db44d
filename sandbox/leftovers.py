"""Which process made a thing that can outlive it, so that whoever finds the thing can tell."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OWN = re.compile(r"agon-(\d+-\d+-\d+-[0-9a-f]{8})-.*")


def this_process() -> str:
    """A name for this process that no other one ever has.

    "pid-start-namespace-boot": a number means nothing without the pid namespace that it is counted in,
    and both mean nothing any more once the machine has been started again.
    """
    return f"{os.getpid()}-{_started(os.getpid())}-{_namespace()}-{_boot()}"


def owner_of(name: str) -> str | None:
    """The process that `agon-<process>-<anything>` is named after; None if it is no such name."""
    found = _OWN.fullmatch(name)
    return found[1] if found else None


def alive(process: str) -> bool:
    """Whether the process of that name may still be there: one of another namespace may."""
    if owner_of(f"agon-{process}-") is None:
        return False
    pid, started, namespace, boot = process.split("-")
    return boot == _boot() and (int(namespace) != _namespace() or _started(int(pid)) == started)


@contextmanager
def own_folder(parent: Path) -> Iterator[Path]:
    """A fresh folder in `parent`, removed in the end; if this process dies first, by
    remove_leftover_folders()."""
    folder = Path(tempfile.mkdtemp(prefix=f"agon-{this_process()}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftover_folders(parent: Path) -> None:
    """Remove the folders in `parent` that dead processes have left. Nobody else's, and never fails."""
    for folder in parent.glob("agon-*"):
        process = owner_of(folder.name)
        if process and not alive(process):
            shutil.rmtree(folder, ignore_errors=True)


def _namespace() -> int:
    return os.stat("/proc/self/ns/pid").st_ino


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]


def _started(pid: int) -> str:
    """When it was started, in ticks since boot; "" if there is none of that number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
