"""The folder of a site's data: writable, private to its owner, and used by one site at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agon.supervisor.errors import StartupError

PRIVATE = ("artifacts", "media", "cache", "broker", "log")
DATABASE = "agon.sqlite3"


def is_embedded() -> bool:
    """Whether the site keeps everything in its folder. The settings say the same, once they are imported."""
    return not os.environ.get("DATABASE_URL") and not os.environ.get("REDIS_URL")


def claim(folder: Path, url: str) -> int:
    """Create `folder` and lock it for the life of this process (keep the returned descriptor).

    Raises StartupError if it cannot be written, or if another site (whose address it gives) is running in it.
    """
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)  # no other account writes there
        _keep_private(folder)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StartupError(
            f"Agon keeps its data in {folder}, which cannot be written ({error.strerror}). Move the "
            "project, or set AGON_VAR to a folder that you can write to."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        running = os.read(lock, 200).decode(errors="replace").strip()
        os.close(lock)
        raise StartupError(
            f"Agon is already running from this folder, at {running}. Stop that instance first."
        ) from None
    os.truncate(lock, 0)
    os.write(lock, f"{url}\n".encode())
    return lock


@contextmanager
def claimed(folder: Path, name: str) -> Iterator[None]:
    """Within the block, the folder of an embedded site is locked, which others know as `name`."""
    lock = claim(folder, name) if is_embedded() else None
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _keep_private(folder: Path) -> None:
    """Keep other accounts of this machine from reading the bots. Raises OSError."""
    for name in PRIVATE:
        (folder / name).mkdir(exist_ok=True)
        (folder / name).chmod(0o700)


def private_database(folder: Path) -> None:
    """Create the SQLite file, readable only by its owner: it holds passwords and sessions. Raises OSError."""
    database = folder / DATABASE  # SQLite gives its side files the same mode
    database.touch()
    for file in (database, *folder.glob(f"{DATABASE}-*")):
        file.chmod(0o600)


def keep_logs_short(logs: Path, most: int = 5 << 20) -> None:
    """Empty each log larger than `most` bytes, keeping its contents as `<name>.log.1`."""
    for log in logs.glob("*.log"):
        with suppress(OSError):  # it was moved away just now, or nothing can be written there
            if log.stat().st_size > most:
                _start_anew(log)


def _start_anew(log: Path) -> None:
    """Raises OSError."""
    earlier = log.with_suffix(".log.1")
    try:
        earlier.write_bytes(log.read_bytes())
    except OSError:  # the disk is full, and half a log is of no use
        earlier.unlink(missing_ok=True)
    os.truncate(log, 0)  # its writers append
