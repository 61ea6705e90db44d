"""The folder of a site's state: writable, private to its owner, and used by one site at a time."""

import fcntl
import os
from pathlib import Path

from supervisor.errors import Trouble

PRIVATE = ("artifacts", "media", "cache", "broker", "log")
DATABASE = "agon.sqlite3"


def claim(folder: Path, url: str) -> int:
    """Make `folder` and take its lock for as long as this process lives (keep the descriptor returned).

    Raises Trouble if it cannot be written, or if a site is running in it (with the address of that one).
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _keep_private(folder)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Trouble(
            f"Agon keeps its data in {folder}, which cannot be written ({error.strerror}): put the project, "
            "or by AGON_VAR its data, where you may write."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        running = os.read(lock, 200).decode(errors="replace").strip()
        os.close(lock)
        raise Trouble(
            f"Agon is running from this folder already, at {running}: stop that one first."
        ) from None
    os.truncate(lock, 0)
    os.write(lock, f"{url}\n".encode())
    return lock


def _keep_private(folder: Path) -> None:
    """Other accounts of the machine could read everybody's bots. Raises OSError."""
    for name in PRIVATE:
        (folder / name).mkdir(exist_ok=True)
        (folder / name).chmod(0o700)


def private_database(folder: Path) -> None:
    """Make SQLite's file if there is none: passwords and sessions are for nobody else. Raises OSError."""
    database = folder / DATABASE  # SQLite gives what it puts beside it the same mode
    database.touch()
    for file in (database, *folder.glob(f"{DATABASE}-*")):
        file.chmod(0o600)


def keep_logs_short(logs: Path, most: int = 5 << 20) -> None:
    """Cut each log that has outgrown `most` bytes to nothing, keeping what it held as `<name>.log.1`."""
    for log in logs.glob("*.log"):
        if log.stat().st_size > most:
            earlier = log.with_suffix(".log.1")
            try:
                earlier.write_bytes(log.read_bytes())
            except OSError:  # the disk is full, and half of it is of no use
                earlier.unlink(missing_ok=True)
            os.truncate(log, 0)  # those who write to it append
