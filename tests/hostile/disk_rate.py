"""Runs in the box with the attacks on the disk: what there is to read, and how fast it may be read."""

import os
import threading
import time

ALLOWED = 64 << 20  # bytes a second
SECONDS = 2.0
ENOUGH = 600 << 20  # several times the memory of a box
READERS = 8


def bytes_read():
    return _counted("read_bytes")


def bytes_written():
    return _counted("write_bytes")


def _counted(name):
    """What this process has caused to be moved from or to disks."""
    with open("/proc/self/io") as file:
        return int(dict(line.split(": ") for line in file)[name])


def large_files():
    """The largest files of the system, together ENOUGH bytes."""
    files = []
    for folder, _, names in os.walk("/usr"):
        for path in (os.path.join(folder, name) for name in names):
            if not os.path.islink(path) and os.path.isfile(path) and os.access(path, os.R_OK):
                files.append((os.path.getsize(path), path))
    total, largest = 0, []
    for size, path in sorted(files, reverse=True):
        if total < ENOUGH:
            largest.append(path)
        total += size
    return largest


def faster_than_allowed(read):
    """Have threads call `read(path)`, which yields now and then: what is said if they read too fast."""
    paths = large_files()
    before, started = bytes_read(), time.monotonic()
    end = started + SECONDS

    def go_on(mine):
        while time.monotonic() < end:
            for path in mine:
                for _ in read(path):
                    if time.monotonic() > end:
                        return

    threads = [threading.Thread(target=go_on, args=(paths[number::READERS],)) for number in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = (bytes_read() - before) / (time.monotonic() - started)
    if rate > 1.5 * ALLOWED:
        return f"{rate / (1 << 20):.0f} MiB/s"
