"""Helpers for tests that ask bots while the machine is busy."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sandbox.api import Failed
from sandbox.boxes import cgroup
from sandbox.boxes.channel import exchange


def ask(process, text, seconds):
    return exchange({0: (process, text, seconds)})[0]


def extended(failed: Failed) -> bool:
    """Whether a bot was waited for beyond its limit, because the host may have been to blame."""
    return "undisturbed" in failed.host


def if_alone(seconds: float) -> float:
    """A time limit for work that takes `seconds` on idle cores: longer by the load average per core."""
    return seconds * max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


@pytest.fixture
def uncounted_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behave as on a host whose kernel does not count the pressure of control groups."""
    monkeypatch.setattr(cgroup.PressureFiles, "preempted_us", lambda files: None)


@pytest.fixture
def counted_waits() -> None:
    """Skip the test unless the kernel counts the pressure of control groups and this process can make one."""
    group = cgroup.make(1 << 30, 10)
    counted = group is not None and group.pressure is not None
    if group is not None:
        group.remove()
    if not counted:
        pytest.skip("the pressure of boxes is not counted here")


@contextmanager
def busy_processor(others: int) -> Iterator[None]:
    """Within the block, this process shares one processor with this number of busy loops."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        with spinning(others):
            yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def spinning(processes: int) -> Iterator[None]:
    """Within the block, run this number of busy loops, on the processors that this process may use.

    All of them start at once, and all are killed before the first is waited for, because starting or ending
    one while others are busy takes long.
    """
    # The loops also end if this process is killed.
    loop = "read -r _; while kill -0 $PPID 2>/dev/null; do :; done"
    gate, opener = os.pipe()
    started = [
        subprocess.Popen(["sh", "-c", loop], stdin=gate, start_new_session=True) for _ in range(processes)
    ]
    os.close(gate)
    os.close(opener)
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
