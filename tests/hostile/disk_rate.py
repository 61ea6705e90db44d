"""Runs in the box with the attacks on the disk: what there is to read, and how fast it may be read."""

import os
import time

ALLOWED = 64 << 20  # bytes a second
SECONDS = 2.0
ENOUGH = 400 << 20  # more than the memory of a box


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
    found = []
    for folder, _, names in os.walk("/usr"):
        for path in (os.path.join(folder, name) for name in names):
            if not os.path.islink(path) and os.path.isfile(path) and os.access(path, os.R_OK):
                found.append((os.path.getsize(path), path))
    total = 0
    for size, path in sorted(found, reverse=True):
        if total < ENOUGH:
            yield path
        total += size


def faster_than_allowed(read):
    """Call `read`, which yields now and then, for a while: what is said if it read too fast."""
    before, started = bytes_read(), time.monotonic()
    while time.monotonic() < started + SECONDS:
        for _ in read():
            if time.monotonic() > started + SECONDS:
                break
    rate = (bytes_read() - before) / (time.monotonic() - started)
    if rate > 1.5 * ALLOWED:
        return f"{rate / (1 << 20):.0f} MiB/s"
