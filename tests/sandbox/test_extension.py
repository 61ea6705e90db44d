"""A limit that passes on a host under pressure: the same answer is waited for, and nothing is gained."""

import time

import pytest

from sandbox.api import Failed, Line
from sandbox.boxes import extension
from sandbox.boxes.host_load import HostLoad
from tests.sandbox.test_time_limits import SPIN
from tests.support.boxes import one_backend
from tests.support.cpu_load import ask, busy_processor, extended, if_alone, spinning

LIMIT = 0.3  # seconds
SECOND = 1_000_000
HELD_UP = HostLoad(SECOND // 10, 2, SECOND // 5, SECOND // 5, 0, 0, 1)  # by a hypervisor
QUIET = HostLoad(SECOND // 10, 2, 0, 0, 0, 0, 1)

SLEEP = "import time; input(); time.sleep(60)"
NAPS = "import time; input()\nfor _ in range(400): time.sleep(0.05)"
NAPS_ALWAYS = """
    import sys, time
    for line in sys.stdin:
        for _ in range(80): time.sleep(0.05)
"""
ANSWERS_LATE = """
    import time
    input()
    end = time.monotonic() + 0.9
    while time.monotonic() < end: time.sleep(0.01)
    print("here", flush=True)
"""
STOPS_ALL = """
    import os, signal
    for process in (-1, os.getppid()):
        try:
            os.kill(process, signal.SIGSTOP)
        except OSError:
            pass
"""
OWN_CROWD = """
    import os, time
    input()
    for _ in range(20):
        if os.fork() == 0:
            while True: pass
    time.sleep(60)
"""
# Threads that wait for the disk: they read small pieces of the largest library in random order.
READS = """
    import mmap, os, random, threading
    FLAGS
    files = [os.path.join(folder, name) for folder, _, names in os.walk("/usr/lib") for name in names]
    largest = max((name for name in files if not os.path.islink(name)), key=os.path.getsize)
    size = os.path.getsize(largest)
    def read():
        fd = os.open(largest, os.O_RDONLY | flag)
        buffer = mmap.mmap(-1, 16384)
        while True:
            place = random.randrange(0, size - 16384) & ~4095
            evict(fd, place)
            try:
                os.preadv(fd, [buffer], place)
            except OSError:
                pass
    input()
    for _ in range(THREADS):
        threading.Thread(target=read).start()
"""
PAST_THE_CACHE = "flag, evict = os.O_DIRECT, lambda fd, place: None"  # refused
THROUGH_THE_CACHE = "flag, evict = 0, lambda fd, place: os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)"
AT_THE_LIMIT = "held = bytearray(b'x') * (220 << 20); flag, evict = 0, lambda fd, place: None"
WAYS = {
    "past the cache": PAST_THE_CACHE,
    "through it": THROUGH_THE_CACHE,
    "at the memory limit": AT_THE_LIMIT,
}


@pytest.fixture
def host_does(monkeypatch):
    """host_does(load, n): from the limit on, the host does `load` at n samples, then nothing (or `later`)."""

    def script(load: HostLoad, times: int, later: HostLoad = QUIET) -> None:
        loads = [load] * times
        monkeypatch.setattr(extension, "load_since", lambda *_: loads.pop() if loads else later)

    return script


def reads(threads: int, how: str) -> str:
    return READS.replace("FLAGS", how).replace("THREADS", str(threads))


def waited_for(failed):
    """Whether it was waited for as long as the host is held up, and not only until it is proved to sleep.

    Beside busy processes it may begin to sleep only shortly before its limit ends.
    """
    return extended(failed) and failed.times.wall_us > 4 * LIMIT * SECOND


def test_an_answer_that_the_host_held_up_counts(session, host_does):
    """It is the same answer to the same question: there is no second try."""
    process = session(ANSWERS_LATE).start()
    host_does(HELD_UP, 8)
    answer = ask(process, b"\n", LIMIT)
    assert isinstance(answer, Line), answer
    assert answer.text == b"here"
    assert answer.times.charged_us <= 1.5 * LIMIT * SECOND


def test_a_bot_has_its_limit_once_more_in_time_that_nothing_disturbed(session, host_does):
    process = session(NAPS).start()
    host_does(HELD_UP, 1)
    before = time.monotonic()
    answer = ask(process, b"\n", LIMIT)
    assert isinstance(answer, Failed), answer
    assert extended(answer)
    assert 1.7 * LIMIT <= time.monotonic() - before < 8 * LIMIT


@pytest.mark.parametrize("source", [SLEEP, SPIN], ids=["sleeps", "spins"])
def test_a_bot_that_sleeps_or_spins_is_not_waited_for_although_the_host_is_held_up(
    session, host_does, source
):
    process = session(source).start()
    host_does(HELD_UP, 1000)
    answer = ask(process, b"60\n", LIMIT)
    assert isinstance(answer, Failed), answer
    assert not waited_for(answer), answer


def test_all_extensions_of_a_match_together_are_bounded(session, host_does, monkeypatch):
    monkeypatch.setattr(extension, "PATIENCE_US", SECOND)
    process = session(NAPS_ALWAYS).start()
    host_does(HELD_UP, 1000)
    before = time.monotonic()
    answers = [ask(process, b"\n", LIMIT) for _ in range(5)]
    assert [answer.kind for answer in answers] == ["timeout"] * 5
    assert [extended(answer) for answer in answers] == [True, False, False, False, False]
    assert time.monotonic() - before < 5 * LIMIT + 3


def test_a_program_that_stops_the_process_that_would_report_its_end_is_not_waited_for(program, host_does):
    bot = program(STOPS_ALL)
    host_does(HELD_UP, 1000)
    before = time.monotonic()
    run = bot.run([], None, LIMIT)
    assert run.failed is None or (run.failed.kind == "timeout" and not waited_for(run.failed)), run
    assert time.monotonic() - before < if_alone(10 * LIMIT + 4)


def test_a_program_that_is_run_for_each_move_is_waited_for_likewise(program, host_does):
    bot = program(ANSWERS_LATE.replace("input()", ""))
    host_does(HELD_UP, 8)
    run = bot.run([], None, LIMIT)
    assert run.failed is None, run
    assert run.times.charged_us <= 1.5 * LIMIT * SECOND


@pytest.mark.first(1)
@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.parametrize(
    ("how", "threads"),
    [
        pytest.param(
            WAYS[how], threads, id=f"{how}-{threads}", marks=[] if chosen else pytest.mark.exhaustive
        )
        for place, how in enumerate(WAYS)
        for threads, chosen in ((count, number == place) for number, count in enumerate((2, 6, 16)))
    ],
)
def test_a_bot_that_keeps_the_disk_busy_gains_at_most_its_limit_once_more(session, threads, how):
    """Its threads neither sleep nor compute: they wait for the disk, by its own will."""
    process = session(reads(threads, how)).start()
    before = time.monotonic()
    answer = ask(process, b"\n", LIMIT)
    assert isinstance(answer, Failed), answer
    assert answer.kind in ("timeout", "crash", "memory")
    assert time.monotonic() - before < 3 + 2 * LIMIT


@pytest.mark.first(1)
@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.parametrize(("source", "seconds"), [(SLEEP, 0.6), (SPIN, 0.3)], ids=["sleeps", "spins"])
@one_backend
def test_beside_busy_processes_a_bot_that_sleeps_or_spins_is_not_waited_for(session, source, seconds):
    with busy_processor(0):
        process = session(source).start()
        with spinning(3):
            answer = ask(process, b"60\n", seconds)
    assert isinstance(answer, Failed)
    assert answer.kind == "timeout"
    assert not extended(answer), answer
    assert "others used" in answer.host


@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.usefixtures("uncounted_waits")
@one_backend
def test_beside_busy_processes_a_bot_that_cannot_be_proved_to_sleep_is_waited_for_and_loses(
    session, monkeypatch
):
    monkeypatch.setattr(extension, "PATIENCE_US", 3 * SECOND)
    with busy_processor(0):
        process = session(NAPS).start()
        with spinning(3):
            answer = ask(process, b"\n", 0.6)
    assert isinstance(answer, Failed)
    assert answer.kind == "timeout"
    assert extended(answer), answer
    assert answer.times.wall_us < 6 * SECOND


@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.one_core
@pytest.mark.usefixtures("counted_waits")
def test_nor_does_it_gain_time_by_naps_where_its_waits_are_counted(session):
    with busy_processor(0):
        process = session(NAPS).start()
        with spinning(3):
            answer = ask(process, b"\n", 0.6)
    assert isinstance(answer, Failed)
    assert not extended(answer), answer


@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.one_core
def test_pressure_of_the_bots_own_making_gains_no_time(session):
    with busy_processor(0):
        answer = ask(session(OWN_CROWD).start(), b"\n", 0.6)
    assert isinstance(answer, Failed)
    assert answer.kind == "timeout"
    assert not extended(answer), answer


@pytest.mark.first(1)
@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.one_core
def test_the_same_holds_for_a_program_that_sleeps_or_spins(program):
    with busy_processor(0):
        sleeps, spins = program("import time; time.sleep(60)"), program("while True: pass")
        with spinning(3):
            runs = [sleeps.run([], None, 0.6), spins.run([], None, 0.3)]
    for run in runs:
        assert run.failed is not None
        assert run.failed.kind == "timeout"
        assert not extended(run.failed), run
        assert "others used" in run.failed.host
