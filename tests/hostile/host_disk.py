"""How long the host's own writes take while an attack goes on: what bots do to the disk that all share."""

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.cpu_load import if_alone

FOLDER = "/var/tmp"  # on a disk, unlike the temporary folders of tests; the file in it has no name
PAUSE = 0.02  # seconds between two writes
AFTERWARDS = 2.0  # seconds
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


def is_slowed_down(flush: float) -> bool:
    """Whether an attack beside which the host's writes took `flush` seconds at the median made them slow.

    If they are slow without it, too, another program writes: a test, or a neighbor on the same disk.
    """
    if flush < if_alone(SLOWEST_FLUSH):
        return False
    with timed_flushes() as times:
        time.sleep(AFTERWARDS)
    return flush > 3 * statistics.median(times)
