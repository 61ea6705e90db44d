"""How long the host's own writes take while an attack goes on: what bots do to the disk that all share."""

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

FOLDER = "/var/tmp"  # on a disk, unlike the temporary folders of tests; the file in it has no name
PAUSE = 0.02  # seconds between two writes
ENOUGH = 5  # writes, for a median that one write of another program does not decide


@contextmanager
def timed_flushes() -> Iterator[list[float]]:
    """Within the block, write 4 KiB to a disk again and again: the seconds that each fsync takes."""
    times: list[float] = []
    over = threading.Event()

    def write() -> None:
        with tempfile.TemporaryFile(dir=FOLDER) as file:
            while not over.wait(PAUSE):
                os.pwrite(file.fileno(), os.urandom(4096), 0)
                started = time.monotonic()
                os.fsync(file.fileno())
                times.append(time.monotonic() - started)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield times
    finally:
        over.set()
        thread.join()


def median(times: list[float]) -> float | None:
    """Of the times, in seconds; None if they are too few to tell."""
    return statistics.median(times) if len(times) >= ENOUGH else None
