"""Asking a bot while the machine is busy."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from agon.db.leases import ATTEMPTS
from sandbox.api import Failed
from sandbox.boxes import cgroup
from sandbox.boxes.agent_link import KeptFromRunning
from sandbox.boxes.channel import exchange

T = TypeVar("T")


def ask(process, text, seconds):
    return exchange({0: (process, text, seconds)})[0]


def beyond_doubt(play: Callable[[], list[T]]) -> list[T]:
    """What `play` returns, answers or runs, once none of them was a failure that the host may have made.

    Such a failure is no verdict: a match is played again, too, at most as often as here, and then it counts.
    """
    for _ in range(ATTEMPTS):
        found = play()
        failures = [each if isinstance(each, Failed) else getattr(each, "failed", None) for each in found]
        if not any(failed is not None and failed.doubtful for failed in failures):
            break
    return found


def if_alone(seconds: float) -> float:
    """A bound for what takes at most so long on idle cores: longer where other processes share them."""
    return seconds * max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


@pytest.fixture
def uncounted_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the kernel counts no pressure of control groups."""
    monkeypatch.setattr(KeptFromRunning, "_read", lambda kept: None)


@pytest.fixture
def counted_waits() -> None:
    """Where the kernel counts the pressure of control groups, and this process may make one."""
    group = cgroup.make(1 << 30, 10)
    counted = group is not None and group.pressure is not None
    if group is not None:
        group.remove()
    if not counted:
        pytest.skip("the pressure of boxes is not counted here")


@contextmanager
def busy_processor(others: int) -> Iterator[None]:
    """Share one processor with that many processes that never rest."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        with spinning(others):
            yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def spinning(processes: int) -> Iterator[None]:
    """That many processes that never rest, on the processors that this one may use.

    All begin at once, and all are killed before the first is waited for: otherwise each one that starts, or
    ends, takes as long as the others let it.
    """
    # They end with this process, too, if it is killed.
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
