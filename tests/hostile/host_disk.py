"""How long the host's own writes take while an attack goes on: what bots do to the disk that all share."""

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

FOLDER = "/var/tmp"  # on a disk, unlike the temporary folders of tests; the file in it has no name
PAUSE = 0.02  # seconds between two writes
SLOWEST_FLUSH = 0.02  # seconds for 4 KiB, half of what one bot without a bound made of 0.3 ms


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
