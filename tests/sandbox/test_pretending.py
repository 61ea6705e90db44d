"""Bots that sleep and pretend to wait for a processor: what they sleep is charged."""

import os

import pytest

from agon.site.core.db.leases import ATTEMPTS
from sandbox.api import Failed
from tests.support.cpu_load import ask, busy_processor, if_alone, spinning

pytestmark = pytest.mark.slow

LIMIT = 0.4  # seconds
LONG = 10 * LIMIT  # at which a bot that pretended well used to be stopped, if at all

# Sleeps, and is busy whenever it may be looked at.
PRETENDS = """
    import ctypes, os, sys, threading, time
    def spin(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end: pass
    def at_quarters(seconds=0.012):
        for number in range(1, 60):
            time.sleep(max(0, start + number * {quarter} - time.monotonic() - 0.001))
            spin(seconds)
    def when_looked_at():
        # Who looks is forked for that, and the host counts its forks.
        def forks():
            with open("/proc/stat") as file: return int(file.read().partition("processes ")[2].split()[0])
        expected = start + 4 * {quarter}
        for _ in range(60):
            time.sleep(max(0, expected - 0.002 - time.monotonic()))
            before, latest = forks(), time.monotonic() + 0.01
            while time.monotonic() < latest and forks() == before: pass
            expected = time.monotonic() + {quarter}
            spin(0.006)
    def at_random():
        import random
        for _ in range(2000):
            time.sleep(random.uniform(0, 0.01))
            spin(random.uniform(0, 0.003))
    def in_a_child():
        if os.fork() == 0:
            at_quarters()
            os._exit(0)
        os.wait()
    def in_two_threads():
        threads = [threading.Thread(target=at_quarters) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    def in_short_children():
        for _ in range(500):
            if os.fork() == 0:
                time.sleep(0.01)
                os._exit(0)
            os.wait()
    def yielding():
        for _ in range(3000):
            time.sleep(0.001)
            for _ in range(20): os.sched_yield()
    def napping():
        ctypes.CDLL(None).prctl(29, 1, 0, 0, 0)  # PR_SET_TIMERSLACK: one nanosecond
        while time.monotonic() < start + 20: time.sleep(0.000001)
    def waking_the_referee():
        for _ in range(3000):
            time.sleep(0.001)
            os.write(2, b"x" * 100)
    for line in sys.stdin:
        start = time.monotonic()
        {how}()
        print("late", flush=True)
"""
WAYS = [
    *("at_quarters", "when_looked_at", "at_random", "in_a_child", "in_two_threads", "in_short_children"),
    *("yielding", "napping", "waking_the_referee"),
]


def pretender(how: str) -> str:
    return PRETENDS.replace("{how}", how).replace("{quarter}", str(LIMIT / 4))


def some_ways(how: str) -> object:
    """Beside other processes, each of which takes seconds, `make test` tries four: of each mechanism one."""
    some = ("at_quarters", "in_two_threads", "in_short_children", "napping")
    return pytest.param(how, marks=[] if how in some else pytest.mark.exhaustive)


@pytest.mark.first(4)
@pytest.mark.parametrize("how", WAYS)
def test_a_bot_that_sleeps_and_pretends_to_wait_is_stopped(session, how):
    """Or, on a host that other tests keep busy, answers late without having computed for longer."""
    answer = ask(session(pretender(how)).start(), b"\n", LIMIT)
    if isinstance(answer, Failed):
        assert answer.kind == "timeout"
        assert answer.times.charged_us < 1.5e6 * LIMIT + 500_000
    else:
        assert os.getloadavg()[0] > len(os.sched_getaffinity(0)), answer
        assert answer.times.cpu_us < 1e6 * LIMIT


@pytest.mark.first(2)
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize("how", [some_ways(how) for how in WAYS])
def test_pretending_does_not_help_where_others_are_busy(session, how):
    """There real waits are credited, but never so much that the match is void. A bot that a crowd really kept
    waiting each time, as beside other tests, may finish once.
    """
    for _ in range(ATTEMPTS):
        with busy_processor(0):
            process = session(pretender(how)).start()
            with spinning(2):
                answer = ask(process, b"\n", LIMIT)
        if isinstance(answer, Failed):
            break
    assert isinstance(answer, Failed), answer
    assert answer.kind == "timeout"
    assert answer.times.wall_us < 1e6 * if_alone(LONG + 8)


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize(
    "how", [some_ways(how) for how in ("at_quarters", "at_random", "in_two_threads", "in_short_children")]
)
def test_pretending_does_not_help_a_program_that_is_run_for_each_move(program, how):
    """As above, a crowd may really keep it waiting once."""
    source = pretender(how).replace("for line in sys.stdin:", "if True:")
    for _ in range(ATTEMPTS):
        with busy_processor(0):
            bot = program(source)
            with spinning(1):
                run = bot.run([], None, LIMIT)
        if run.failed is not None:
            break
    assert run.failed is not None
    assert run.failed.kind == "timeout"
    assert run.times.wall_us < 1e6 * if_alone(LONG + 8)
