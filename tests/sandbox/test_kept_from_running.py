"""Where the kernel counts the pressure of a box, all its waits for a processor are known."""

import time

import pytest

from sandbox.api import Failed, Limits, Line
from sandbox.boxes.agent_link import KeptFromRunning
from tests.sandbox.test_fair_time import SHORT_CHILDREN
from tests.sandbox.test_time_limits import SPIN, SPIN_IN_A_CHILD, SPIN_IN_A_THREAD
from tests.support.boxes import one_backend
from tests.support.cpu_load import ask, busy_processor, extended, spinning

pytestmark = [
    pytest.mark.slow,
    pytest.mark.serial,
    pytest.mark.one_core,
    pytest.mark.usefixtures("counted_waits"),
]

OTHERS = 4  # processes that never rest
SLEEP = """
    import sys, time
    for line in sys.stdin:
        time.sleep(float(line))
        print("done", flush=True)
"""

WAKE = """
    import sys, time
    for line in sys.stdin:
        for _ in range(int(line)): time.sleep(0.1)
        print("done", flush=True)
"""
WAKE_AND_FORK = """
    import os, sys, time
    for line in sys.stdin:
        for _ in range(int(line)):
            time.sleep(0.1)
            if os.fork() == 0: os._exit(0)
            os.wait()
        print("done", flush=True)
"""

SPIN_TOGETHER = """
    import os, sys, time
    for line in sys.stdin:
        children = []
        for _ in range(8):
            if (child := os.fork()) == 0:
                end = time.process_time() + float(line)
                while time.process_time() < end: pass
                os._exit(0)
            children.append(child)
        for child in children: os.waitpid(child, 0)
        print("done", flush=True)
"""


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("source", "line"),
    [(SPIN, b"0.1\n"), (SPIN_IN_A_THREAD, b"0.1\n"), (SPIN_IN_A_CHILD, b"0.1\n"), (SHORT_CHILDREN, b"25\n")],
    ids=["main", "thread", "child", "short children"],
)
def test_a_bot_is_charged_for_what_it_used_and_for_nothing_that_it_waited(session, source, line):
    with busy_processor(OTHERS):
        process = session(source).start()
        ask(process, b"0\n", 60.0)
        answer = ask(process, line, 2.0)
    assert isinstance(answer, Line), answer
    assert answer.times.wall_us > 200_000, "the machine was not busy"
    # And not 400,000 and more. Beside a hundred processes, one wait that is not counted may last as long.
    charged_us = answer.times.wall_us - answer.times.wait_us
    assert charged_us < max(250_000, answer.times.wall_us // 2)


@one_backend
def test_reading_the_count_often_loses_nothing(session):
    """The kernel drops what is less than a tick since it was last read."""
    with busy_processor(OTHERS):
        process = session("input()\nprint('spinning', flush=True)\nwhile True: pass").start()
        assert isinstance(ask(process, b"\n", 60.0), Line)
        kept, began, used_us = (
            KeptFromRunning(process.link.agent.host),
            time.monotonic(),
            process.measure()[0],
        )
        while time.monotonic() < began + 1.0:
            kept.so_far_us()
            time.sleep(0.001)
        wall_us = 1e6 * (time.monotonic() - began)
        waited_us = wall_us - (process.measure()[0] - used_us)
    assert waited_us > 300_000, "the machine was not busy"
    assert kept.so_far_us() > 0.9 * waited_us


@one_backend
def test_a_bot_is_not_charged_for_being_looked_at(session):
    """Each sample is a fork of the agent, on the bot's processor."""
    with busy_processor(OTHERS):
        process = session("input()\nprint('spinning', flush=True)\nwhile True: pass").start()
        assert isinstance(ask(process, b"\n", 60.0), Line)
        kept = KeptFromRunning(process.link.agent.host)
        status = process.sample()
        began, used_us, before_us = time.monotonic(), process.measure()[0], kept.preempted_us(status)
        for _ in range(20):
            status = process.sample()
            time.sleep(0.02)
        wall_us = 1e6 * (time.monotonic() - began)
        used_us = process.measure()[0] - used_us
    charged_us = wall_us - (kept.preempted_us(status) - before_us)
    sampling_us = wall_us - (kept.so_far_us() - before_us) - used_us
    assert sampling_us > 8_000
    assert charged_us < used_us + 0.5 * sampling_us


@one_backend
def test_a_bot_that_sleeps_beside_others_is_credited_with_next_to_nothing(session):
    with busy_processor(OTHERS):
        process = session(SLEEP).start()
        ask(process, b"0\n", 60.0)
        answer = ask(process, b"0.5\n", 4.0)
    assert isinstance(answer, Line), answer
    assert answer.times.wait_us < 0.5 * answer.times.wall_us


@one_backend
def test_a_bot_that_sleeps_is_stopped_although_the_looks_at_it_wait_long(session):
    """While it sleeps it is the agent that waits, again and again: that is no wait of the bot's."""
    with busy_processor(0):
        process = session(SLEEP).start()
        ask(process, b"0\n", 60.0)
        with spinning(20):
            answer = ask(process, b"60\n", 0.05)
    assert isinstance(answer, Failed), answer
    assert answer.kind == "timeout"
    assert not extended(answer), answer
    assert answer.times.wall_us < 4_000_000


@pytest.mark.first(1)
@pytest.mark.parametrize("source", [WAKE, WAKE_AND_FORK], ids=["alone", "with short children"])
def test_a_bot_that_wakes_now_and_then_is_not_credited_with_the_waits_of_the_looks(session, source):
    """It is not proved to sleep from one sample to the next."""
    with busy_processor(0):
        process = session(source).start()
        ask(process, b"0\n", 60.0)
        with spinning(60):
            answer = ask(process, b"600\n", 0.4)
    assert isinstance(answer, Failed), answer
    assert answer.kind == "timeout"
    assert not extended(answer), answer
    assert answer.times.wall_us < 10_000_000


@one_backend
def test_threads_that_wait_for_each_other_are_not_kept_from_running(session):
    """Their box has a processor all the time."""
    with busy_processor(0):
        process = session(SPIN_TOGETHER, Limits(processes=16)).start()
        ask(process, b"0\n", 60.0)
        answer = ask(process, b"0.05\n", 4.0)
    assert isinstance(answer, Line), answer
    assert answer.times.wall_us - answer.times.wait_us > 200_000  # of 400,000 that they use
