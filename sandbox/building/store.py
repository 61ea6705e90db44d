"""A folder of artifacts that several processes share, kept below a maximum size.

Each artifact is a folder of the store, named by its digest.

- **use**: a process that needs an artifact holds a shared flock(2) on its folder (`hold`). The lock goes with
  the descriptor, so a killed process holds nothing.
- **removal** (`prune`, `remove`): takes the lock exclusively, without waiting; an artifact in use stays.
  The folder is renamed into `tmp/` before anything in it is deleted, so it is complete or does not exist.
- **races**: when a process has the lock, it checks that the folder is still the one at that path. If
  not, it was removed in between: hold() then reports no artifact, and a remover leaves the new folder alone.
- **order**: the modification time of `artifact.json` is the time of the last use.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sandbox.leftovers import own_folder

UNFINISHED = "tmp"  # the folder of what is being built or removed
STAMP = "artifact.json"


class StoredArtifact(NamedTuple):
    """An artifact in a store. `size`: bytes on the disk. `used`: seconds since the epoch."""

    used: float
    size: int
    folder: Path


def hold(folder: Path) -> int | None:
    """A descriptor that keeps the artifact in `folder` from being removed until it is closed.

    None if there is no such artifact. Marks it as used now.
    """
    descriptor = _lock(folder, fcntl.LOCK_SH)
    if descriptor is not None:
        touch(folder)
    return descriptor


@contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Hold an artifact within a block. Yields whether it exists."""
    descriptor = hold(folder)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def touch(folder: Path) -> None:
    """Mark an artifact as used now."""
    with suppress(OSError):  # the store of another account is read-only
        os.utime(folder / STAMP)


def artifacts(store: Path) -> list[StoredArtifact]:
    """Every artifact in `store`, least recently used first."""
    stored = []
    for stamp in store.glob(f"*/{STAMP}"):
        with suppress(FileNotFoundError):  # it has been removed
            stored.append(StoredArtifact(stamp.stat().st_mtime, _size(stamp.parent), stamp.parent))
    return sorted(stored)


def prune(store: Path, most: int) -> int:
    """Remove artifacts, least recently used first, until the others take at most `most` bytes.

    Those in use stay. Returns the number of removed ones.
    """
    stored_artifacts = artifacts(store)
    total = sum(stored_artifact.size for stored_artifact in stored_artifacts)
    removed = 0
    for artifact in stored_artifacts:
        if total <= most:
            break
        if remove(artifact.folder):
            total -= artifact.size
            removed += 1
    return removed


def remove(folder: Path) -> bool:
    """Remove an artifact; False if it is in use or does not exist."""
    descriptor = _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if descriptor is None:
        return False
    try:
        unfinished = folder.parent / UNFINISHED
        unfinished.mkdir(exist_ok=True)
        with own_folder(unfinished) as doomed:
            os.rename(folder, doomed / folder.name)
    finally:
        os.close(descriptor)
    return True


def _lock(folder: Path, operation: int) -> int | None:
    """A descriptor of `folder` with this lock; None if another process holds it, or the folder is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, operation)
        if os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


_sizes: dict[Path, int] = {}  # an artifact never changes


def _size(folder: Path) -> int:
    if folder not in _sizes:
        _sizes[folder] = sum(file.lstat().st_blocks * 512 for file in folder.rglob("*"))
    return _sizes[folder]
