"""Our own processes in a box: neither what they use nor how late they are is the bot's."""

import os
import signal
import time

import pytest

from sandbox.api import Line
from sandbox.backends.bubblewrap import _BwrapHost
from sandbox.boxes import cgroup
from sandbox.boxes.channel import await_lines
from tests.support.boxes import agent_of, children, is_first
from tests.support.cpu_load import ask

pytestmark = pytest.mark.slow

LIMIT = 0.1  # seconds
LATE = 10 * LIMIT + 0.6  # when a program that is seen running would have to prove that it waits


def test_a_program_that_has_ended_is_in_time_however_late_that_is_reported(session, monkeypatch):
    """As where the process that reports it gets no processor. Here the program stops that one for a while."""
    bot = session("""
        import os, signal, sys
        print("done", flush=True)
        if len(sys.argv) > 1: os.kill(os.getppid(), signal.SIGSTOP)
    """)
    assert bot.run([], None, 60.0).failed is None
    (spawner,) = (pid for pid in children(agent_of(bot.box)) if not is_first(pid))
    runs = bot.runs()
    measure, started, continued = runs.link.measure, time.monotonic(), []

    def measure_and_continue(*wait):
        status = measure(*wait)
        if time.monotonic() - started > LATE:
            continued.append(os.kill(spawner, signal.SIGCONT))
        return status

    monkeypatch.setattr(runs.link, "measure", measure_and_continue)
    run = bot.run(["stop it"], None, LIMIT)
    assert continued, "it was not awaited"
    assert (run.failed, run.exit, run.stdout) == (None, 0, b"done\n")


def test_what_the_watch_over_memory_uses_is_not_charged(opened, artifacts, sandbox, monkeypatch):
    """The bot sleeps. Its children share so much memory that the watch has to count every page of each."""
    if sandbox.name == "docker" or not cgroup.available():
        pytest.skip("there is no watch in a container, and without a control group nothing is missed")
    never = property(lambda host: False, lambda host, value: None)
    monkeypatch.setattr(_BwrapHost, "memory_counted", never, raising=False)
    process = opened(artifacts("""
        import os, signal, sys, time
        held = bytearray(b"x" * (40 << 20))
        for _ in range(20):
            if os.fork() == 0: signal.pause()
        print("READY", flush=True)
        for line in sys.stdin:
            time.sleep(float(line))
            print("done", flush=True)
    """)).session().start()  # fmt: skip
    assert isinstance(await_lines({0: (process, 60.0)})[0], Line)
    assert isinstance(ask(process, b"1\n", 3.0), Line)
    assert process.multithreaded, "it was not sampled"
    answer = ask(process, b"2\n", 3.0)
    assert isinstance(answer, Line), answer
    assert answer.times.cpu_us < 50_000
