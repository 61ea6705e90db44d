"""Bots that fill a pipe wait for the worker, which reads it: not their time, and no time to sleep either."""

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from sandbox.api import Failed, Line
from sandbox.boxes import reading
from sandbox.boxes.process import Process
from tests.support.boxes import agent_of
from tests.support.cpu_load import ask, busy_processor, spinning

pytestmark = pytest.mark.slow

LIMIT = 0.4  # seconds
FLOODS_FOR_A_WHILE = """
    import os, sys, time
    def flood(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end: os.write(2, bytes(1 << 16))
    if len(sys.argv) > 1: flood(float(sys.argv[1]))
    else:
        for line in sys.stdin:
            flood(float(line))
            print("done", flush=True)
"""
FLOODS = """
    import os, sys
    def flood(pipes):
        for _ in range(pipes): os.write(2, bytes(1 << 16))
    if len(sys.argv) > 1: flood(int(sys.argv[1]))
    else:
        for line in sys.stdin:
            flood(int(line))
            print("done", flush=True)
"""


@contextmanager
def stopped(pid: int, after: float, until: float) -> Iterator[None]:
    """That process does nothing for a while, in seconds from now, as if it got no processor."""

    def stop_and_continue() -> None:
        time.sleep(after)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(until - after)
        os.kill(pid, signal.SIGCONT)

    stopping = Thread(target=stop_and_continue)
    stopping.start()
    try:
        yield
    finally:
        stopping.join()


def test_a_bot_may_write_256_kib_before_it_has_to_wait_for_a_reader(session):
    process = session("import os; os.write(2, bytes(256 << 10)); print('done', flush=True)").start()
    assert select.select([process.stdout], [], [], 60)[0]


def test_a_bot_writes_on_while_its_agent_is_slow_to_answer(session):
    """The agent is asked when a quarter of the limit has passed."""
    bot = session(FLOODS_FOR_A_WHILE)
    process = bot.start()
    ask(process, b"0\n", 60.0)
    with stopped(agent_of(bot.box), LIMIT / 8, 2 * LIMIT):
        answer = ask(process, b"0.2\n", LIMIT)
    assert isinstance(answer, Line), answer


def test_a_program_writes_on_while_its_agent_is_slow_to_answer(program):
    bot = program(FLOODS_FOR_A_WHILE)
    assert bot.run(["0"], None, 60.0).failed is None
    with stopped(agent_of(bot.box), LIMIT / 8, 2 * LIMIT):
        run = bot.run(["0.2"], None, LIMIT)
    assert run.failed is None, run


def test_a_bot_is_credited_with_a_late_reading_from_the_first_pipe_that_it_fills(session, monkeypatch):
    """The worker waits for a processor for twice the limit before it reads for the first time."""
    waited_ns, drain = [0], Process.drain_errors

    def drain_late(process):
        if waited_ns == [0]:
            time.sleep(2 * LIMIT)
            waited_ns.append(int(2 * LIMIT * 1e9))
        return drain(process)

    process = session(FLOODS).start()
    ask(process, b"0\n", 60.0)
    monkeypatch.setattr(reading, "own_wait_ns", lambda: waited_ns[-1])
    monkeypatch.setattr(Process, "drain_errors", drain_late)
    answer = ask(process, b"8\n", LIMIT)
    assert len(waited_ns) == 2, "nothing was read"
    assert isinstance(answer, Line), answer
    assert answer.times.wait_us >= 1e6 * 2 * LIMIT


@pytest.mark.serial
@pytest.mark.one_core
def test_a_bot_that_floods_its_standard_error_is_not_charged_for_a_reader_that_waits(session):
    """While the pipe is full the bot sleeps, and the referee, which would empty it, waits for a processor.

    It fills the pipe twenty times. One that does so more often than it has turns of the processor in its
    limit is judged late where others are so busy that it takes ten times its limit, and five seconds more.
    """

    def play():
        process = session(FLOODS).start()
        ask(process, b"1\n", 60.0)
        with spinning(16):
            return [ask(process, b"80\n", 0.4) for _ in range(2)]

    with busy_processor(0):
        answers = play()
    assert all(isinstance(answer, Line) for answer in answers), answers
    assert max(answer.times.wait_us for answer in answers) > 15_000, "the machine was not busy"


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
def test_a_program_that_floods_its_standard_error_is_not_charged_for_a_reader_that_waits(program):
    with busy_processor(0):
        bot = program(FLOODS)
        with spinning(16):
            runs = [bot.run(["80"], None, 0.4) for _ in range(2)]
    assert all(run.failed is None for run in runs), runs
    assert max(run.times.wait_us for run in runs) > 15_000, "the machine was not busy"


@pytest.mark.serial
@pytest.mark.one_core
def test_flooding_standard_error_gains_no_time_to_sleep(session):
    """Where others are busy it is stopped some seconds after ten times its limit, and else at its limit.

    Beside fifty busy processes per core those were 11 s with Docker.
    """
    source = """
        import os, sys, threading, time
        def flood():
            while True: os.write(2, bytes(1 << 16))
        for line in sys.stdin:
            threading.Thread(target=flood, daemon=True).start()
            time.sleep(60)
    """
    with busy_processor(2):
        answer = ask(session(source).start(), b"\n", 0.1)
    assert isinstance(answer, Failed), answer
    assert answer.kind == "timeout"
    assert answer.times.wall_us < 1e6 * (10 * 0.1 + 19)
