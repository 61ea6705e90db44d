"""Bots that take the processor away from the others of their match, or that wait for one among many."""

import os
import time

import pytest

from agon.site.core.db.leases import ATTEMPTS
from sandbox.api import Failed, Limits, Line, SandboxError
from sandbox.boxes import allowance, cgroup
from sandbox.boxes.channel import await_lines, exchange
from sandbox.reason_texts import english
from tests.sandbox.test_time_limits import HONEST, SPIN, SPIN_IN_A_CHILD, SPIN_IN_A_THREAD
from tests.support.boxes import one_backend
from tests.support.cpu_load import ask, busy_processor, spinning

pytestmark = pytest.mark.slow

HOG = """
    import hashlib, os, sys, threading, time
    megabyte = bytes(1 << 20)
    def spin():
        while True: pass
    def sessions():
        for _ in range(30):
            if os.fork() == 0:
                os.setsid()
                spin()
    def spin_together():
        while True: hashlib.sha256(megabyte).digest()  # without the lock of the interpreter
    def threads():
        threading.stack_size(1 << 18)
        for _ in range(30): threading.Thread(target=spin_together, daemon=True).start()
    def daemons():
        # None begins before all are there: otherwise each one takes longer to start than the one before.
        gate, opener = os.pipe()
        for _ in range(30):
            if os.fork() == 0:
                if os.fork(): os._exit(0)
                os.setsid()
                os.close(opener)
                os.read(gate, 1)
                spin()
            os.wait()
        os.close(opener)
    def short_children():
        for _ in range(15):
            if os.fork() == 0:
                while True:
                    child = os.fork()
                    if child == 0:
                        end = time.monotonic() + 0.02
                        while time.monotonic() < end: pass
                        os._exit(0)
                    os.waitpid(child, 0)
    def at_times():
        for _ in range(30):
            if os.fork() == 0:
                os.setsid()
                while True:
                    end = time.monotonic() + 0.05
                    while time.monotonic() < end: pass
                    time.sleep(0.001)
    def yielding():
        for _ in range(30):
            if os.fork() == 0:
                while True: os.sched_yield()
    {how}()
    for line in sys.stdin: print("ready", flush=True)
"""
HOGS = ["sessions", "threads", "daemons", "short_children", "at_times", "yielding"]
# A control group has its share of the processors whatever its processes do. All the ways to be busy matter
# without one, where a box has the share of its session, if that, and bots that run have to be suspended.
SHARED = [
    pytest.param(
        "grouped", how, marks=[] if how in ("sessions", "short_children") else pytest.mark.exhaustive
    )
    for how in HOGS
] + [("ungrouped", how) for how in HOGS]


@pytest.fixture(params=["grouped", "ungrouped"])
def grouped(request, monkeypatch, sandbox) -> bool:
    """With a share of the processors for each box, and, where the backend can do without, without."""
    if request.param == "ungrouped":
        if sandbox.name == "docker":
            pytest.skip("a container always has a control group")
        monkeypatch.setattr(cgroup, "available", tuple)
    return request.param == "grouped"


@pytest.mark.first(2)
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize(("grouped", "how"), SHARED, indirect=["grouped"])
def test_a_bot_that_is_busy_between_its_turns_does_not_starve_the_other(session, grouped, how):
    """It gets half of what it has alone. Beside the hog's 30 processes it would take nine seconds more."""
    with busy_processor(0):
        alone = asked(session(SPIN).start())[1]
        hog = session(HOG.replace("{how}", how)).start()
        victim = session(SPIN).start()
        first = exchange({"hog": (hog, b"\n", 60.0), "victim": (victim, b"0\n", 60.0)})
        assert {who: answer.text for who, answer in first.items()} == {"hog": b"ready", "victim": b"done"}
        answers, beside_it = asked(victim)
        again = ask(hog, b"\n", 60.0)
    assert all(isinstance(answer, Line) for answer in answers), answers
    assert beside_it < 2 * alone + 3
    assert isinstance(again, Line), "it goes on when it is asked"


def asked(victim):
    """Its answers to three questions, and the seconds that they took."""
    started = time.monotonic()
    answers = [ask(victim, b"0.1\n", 0.2) for _ in range(3)]
    return answers, time.monotonic() - started


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
def test_a_bot_that_keeps_running_after_its_answer_does_not_starve_the_others(session, grouped):
    """Where all are asked at once."""
    with busy_processor(0):
        alone = asked(session(SPIN).start())[1]
        hog = session(HOG.replace("{how}", "sessions")).start()
        victim = session(SPIN).start()
        exchange({"hog": (hog, b"\n", 60.0), "victim": (victim, b"0\n", 60.0)})
        started = time.monotonic()
        for _ in range(3):
            answers = exchange({"hog": (hog, b"\n", 60.0), "victim": (victim, b"0.1\n", 0.2)})
            assert isinstance(answers["victim"], Line), answers
        assert time.monotonic() - started < 2 * alone + 3


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
def test_a_bot_that_sets_itself_going_again_has_failed(session, grouped):
    """Timers send SIGCONT to a process while it is stopped, and it has the others go on."""
    hog = """
        import ctypes, os, signal, sys, time
        libc = ctypes.CDLL(None)
        def restless():
            signal.signal(signal.SIGCONT, lambda *_: None)
            event = (ctypes.c_int * 16)(0, 0, 18, 0)  # SIGEV_SIGNAL, SIGCONT
            for number in range(1, 200):
                timer = ctypes.c_void_p()
                once = (ctypes.c_long * 4)(0, 0, number // 20, number % 20 * 50_000_000)
                assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
                assert libc.timer_settime(timer, 0, once, None) == 0
            while True: os.kill(-1, signal.SIGCONT)
        def spin():
            while True: pass
        for number in range(30):
            if os.fork() == 0: spin() if number else restless()
        for line in sys.stdin: print("ready", flush=True)
    """
    with busy_processor(0):
        hog = session(hog).start()
        victim = session(SPIN).start()
        assert isinstance(ask(hog, b"\n", 60.0), Line)
        for _ in range(20):
            answer = ask(victim, b"0.1\n", 0.2)
            assert isinstance(answer, Line), answer
            if hog.failed is not None:
                break
    assert hog.failed is not None
    assert english(hog.failed.reason) == "kept running after it had been suspended"


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize("source", [SPIN_IN_A_THREAD, SPIN_IN_A_CHILD], ids=["thread", "child"])
def test_nor_one_that_has_several_threads(session, grouped, source):
    with busy_processor(0):
        hog = session(HOG.replace("{how}", "sessions")).start()
        victim = session(source).start()
        exchange({"hog": (hog, b"\n", 60.0), "victim": (victim, b"0\n", 60.0)})
        answers = [ask(victim, b"0.06\n", 0.1) for _ in range(2)]
    assert all(isinstance(answer, Line) for answer in answers), answers


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
def test_nor_is_a_program_starved_that_is_run_for_each_move(session, grouped, warm):
    with busy_processor(0):
        hog = session(HOG.replace("{how}", "sessions")).start()
        victim = session(HONEST, warm=warm)
        ask(hog, b"\n", 60.0)
        runs = [victim.run(["0.1"], None, 0.3) for _ in range(2)]
    assert all(run.failed is None for run in runs), runs


@pytest.mark.first(1)
@pytest.mark.serial
@pytest.mark.one_core
def test_what_a_program_leaves_running_does_not_starve_the_next_one(session, warm):
    leaves = HOG.replace("{how}", "sessions").rpartition("for line")[0]
    with busy_processor(0):
        hog, victim = session(leaves, warm=warm), session(HONEST, warm=warm)
        for _ in range(2):
            assert hog.run([], None, 60.0).failed is None
            run = victim.run(["0.1"], None, 0.3)
            assert run.failed is None
            assert run.times.wall_us < 1_500_000


SHORT_CHILDREN = """
    import os, sys, time
    for line in sys.stdin:
        for _ in range(int(line)):
            if os.fork() == 0:
                end = time.process_time() + 0.004
                while time.process_time() < end: pass
                os._exit(0)
            os.wait()
        print("done", flush=True)
"""


@pytest.mark.serial
def test_on_a_busy_machine_a_bot_of_many_short_children_does_not_lose_for_waiting(session):
    """As a shell script is. What they waited is gone with them."""

    def play():
        process = session(SHORT_CHILDREN).start()
        ask(process, b"1\n", 60.0)
        with spinning(4):
            return [ask(process, b"12\n", 0.12) for _ in range(4)]

    with busy_processor(0):
        answers = play()
    assert all(isinstance(answer, Line) for answer in answers), answers
    assert max(answer.times.wall_us for answer in answers) > 120_000, "the machine was not busy"


@pytest.mark.serial
@pytest.mark.one_core
@one_backend
def test_a_machine_that_is_too_busy_is_no_fault_of_the_bot(session, monkeypatch):
    """Another process has the processor, and the counters say so.

    Where a referee gets to look only after half a minute, the bot may have used its limit by then.
    """
    monkeypatch.setattr(allowance, "_CROWD", 0)  # patience for a crowd would take half a minute
    monkeypatch.setattr(allowance, "_PATIENCE_US", 1_000_000)
    everywhere = os.sched_getaffinity(0)

    def play():
        for _ in range(ATTEMPTS):
            with busy_processor(0):
                process = session(SPIN).start()
                ask(process, b"0\n", 60.0)
                with spinning(40):
                    # Where there are several, the referee stays out of that crowd.
                    os.sched_setaffinity(0, everywhere)
                    answer = ask(process, b"60\n", 0.2)
            assert answer.times.cpu_us >= 200_000, answer

    with pytest.raises(SandboxError, match=r"the machine is too busy: .* others used"):
        play()


@pytest.mark.serial
@pytest.mark.one_core
@one_backend
def test_among_40_busy_processes_a_bot_without_a_control_group_plays_on(session, monkeypatch):
    """It gets a fortieth of the processor, which takes longer than ten times its limit and our patience."""
    monkeypatch.setattr(cgroup, "available", tuple)
    monkeypatch.setattr(allowance, "_PATIENCE_US", 500_000)
    with busy_processor(0):
        process = session(SPIN, Limits(processes=63)).start()  # in a box that is opened now
        ask(process, b"0\n", 60.0)
        with spinning(40):
            answer = ask(process, b"0.05\n", 0.07)
    assert isinstance(answer, Line), answer
    assert answer.times.wall_us > 10 * 70_000 + 500_000 + 500_000


@pytest.mark.serial
@pytest.mark.one_core
def test_one_that_crowds_itself_out_has_failed_and_the_machine_has_not(session):
    crowd = HOG.replace("{how}", "sessions").replace('print("ready", flush=True)', "time.sleep(60)")
    with busy_processor(0):
        process = session(crowd, Limits(processes=64)).start()
        answer = ask(process, b"\n", 0.4)
    assert isinstance(answer, Failed)
    assert answer.kind == "timeout"
    assert answer.times.wall_us < 8_000_000


@pytest.mark.serial
@pytest.mark.one_core
def test_unasked_lines_gain_no_time_by_crowding(session):
    """What a bot says before it is ready takes its time to get ready."""
    crowd = """
        import os, time
        for _ in range(40):
            if os.fork() == 0:
                while True: pass
        for _ in range(1000):
            time.sleep(0.02)
            print("soon", flush=True)
    """
    with busy_processor(0):
        process = session(crowd).start()
        left, started = 0.3, time.monotonic()
        while left > 0 and time.monotonic() - started < 15:
            answer = await_lines({0: (process, left)})[0]
            left -= answer.times.charged_us / 1e6
    assert time.monotonic() - started < 10
