"""What the processes of a box hold together: each page once, and only of processes still there.

And how old they are, and what has been used by processes that are not.
"""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from sandbox.inside import usage

MIB = 1 << 20
FAMILY = """
import os, signal
held = bytearray(b"x" * (40 << 20))
children = []
while len(children) < 3:
    children.append(os.fork())
    if not children[-1]:
        signal.pause()
print(*children, flush=True)
signal.pause()
"""


@pytest.fixture
def family(monkeypatch) -> Iterator[list[int]]:
    """A process that holds 40 MiB and three that it forked, which share them."""
    with subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pids = [*map(int, parent.stdout.readline().split()), parent.pid]
        monkeypatch.setattr(usage, "bots", lambda: [str(pid) for pid in pids])
        monkeypatch.setattr(usage, "_sockets", lambda: 0)
        yield pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("mib", "more"), [(30, True), (80, False)])
def test_pages_that_processes_share_are_counted_once(mib, more, family):
    assert usage.more_memory_than(mib * MIB) == more


def test_a_process_that_ends_while_memory_is_measured_holds_nothing(family, monkeypatch):
    """Its pages counted in full: a bot that forks was once found to hold too much as it ended."""
    read = usage._read

    def end_and_read(path: str, most: int = 4096) -> bytes:
        if path.endswith("/smaps_rollup"):
            os.kill(int(path.split("/")[2]), signal.SIGKILL)
            while read(path):  # as long as it is about to end
                pass
        return read(path, most)

    monkeypatch.setattr(usage, "_read", end_and_read)
    assert not usage.more_memory_than(80 * MIB)


def test_a_thread_is_no_older_because_the_process_that_looks_was_kept_waiting(monkeypatch):
    """Found old enough to have been there before its match began, it was credited with no wait."""
    read = usage._read

    def held_up(path: str, most: int = 4096) -> bytes:
        time.sleep(0.1)
        return read(path, most)

    monkeypatch.setattr(usage, "_read", held_up)
    before_us = usage.clock_us()
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as young:
        now_us = usage.clock_us()
        age_us = usage.thread(young.pid, now_us)[1]
        young.kill()
    assert age_us < now_us - before_us + 50_000  # a start is known to a tick, which is at most 10 ms


class Counted:
    """A box whose control group has counted so much processor time."""

    us = 0

    def processor_us(self) -> int:
        return usage.own_us() + self.us


def test_what_is_missing_is_not_charged_all_at_once_when_it_becomes_noticeable():
    box = Counted()
    unattributed = usage.UnattributedCpu(box)
    charged = []
    for box.us in range(0, 200_000, 5_000):
        charged.append(unattributed.since(0, usage.own_us()))
    assert max(after - before for before, after in itertools.pairwise(charged)) < 10_000
    assert charged[-1] > 100_000, "children that are not waited for are charged"
