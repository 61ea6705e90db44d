"""A bot that was late and stays in the game: its late answer is not taken for the next one's, and until it is
asked again it gets no processor."""

import select

import pytest

from sandbox.api import Failed, Line
from sandbox.boxes.channel import exchange
from sandbox.reason_texts import english

pytestmark = pytest.mark.slow

# Answers each line with its own text, after the seconds that it begins with.
ECHO = """
import sys, time
for line in sys.stdin:
    time.sleep(float(line.split()[0]))
    print(line, end="", flush=True)
"""


@pytest.fixture
def ask(session):
    process = session(ECHO).start()

    def ask(text: str, seconds: float) -> Line | Failed:
        return exchange({0: (process, f"{text}\n".encode(), seconds)})[0]

    ask.output = process.stdout
    assert ask("0 hello", 60).text == b"0 hello"
    return ask


def test_a_late_answer_that_comes_while_the_next_is_awaited_is_skipped(ask):
    assert ask("0.6 slow", 0.2).kind == "timeout"
    assert ask("0 next", 60).text == b"0 next"
    assert ask("0 after that", 60).text == b"0 after that"


def test_a_late_answer_that_came_before_the_next_question_is_dropped(ask):
    assert ask("0.3 slow", 0.1).kind == "timeout"
    assert select.select([ask.output], [], [], 60)[0]
    assert ask("0 next", 60).text == b"0 next"
    assert ask("0 after that", 60).text == b"0 after that"


def test_all_late_answers_are_skipped_when_several_are_owed(ask):
    assert [ask(f"0.2 slow {number}", 0.02).kind for number in range(3)] == ["timeout"] * 3
    assert ask("0 next", 60).text == b"0 next"
    assert ask("0 after that", 60).text == b"0 after that"


# Spins for the seconds that a line begins with, of its own CPU time.
SPIN = """
import sys, time
for line in sys.stdin:
    end = time.process_time() + float(line.split()[0])
    while time.process_time() < end: pass
    print(line, end="", flush=True)
"""


@pytest.fixture
def late(session):
    """Bots that spin. The first was too late, and is suspended."""
    first, second = session(SPIN).start(), session(SPIN).start()
    answers = exchange({0: (first, b"0 hello\n", 60.0), 1: (second, b"0 hello\n", 60.0)})
    assert {answer.text for answer in answers.values()} == {b"0 hello"}
    assert exchange({0: (first, b"0.9 slow\n", 0.2)})[0].kind == "timeout"
    first.suspend()
    return first, second


def test_a_suspended_bot_does_not_run_in_the_turns_of_others(late):
    first, second = late
    before = first.link.measure().cpu_us
    assert exchange({0: (second, b"1 busy\n", 60.0)})[0].text == b"1 busy"
    assert first.link.measure().cpu_us - before < 100_000


def test_it_goes_on_when_it_is_asked_and_is_not_charged_for_the_time_before(late):
    first, second = late
    before = first.link.measure().cpu_us
    exchange({0: (second, b"1 busy\n", 60.0)})
    answer = exchange({0: (first, b"0 next\n", 60.0)})[0]
    assert isinstance(answer, Line), answer
    assert answer.text == b"0 next"
    assert 0 < answer.times.cpu_us < 900_000, "the rest of what was late"
    assert abs(answer.times.cpu_us + before - 900_000) < 150_000, "it spins for 0.9 s in all"


def test_it_may_be_late_again_and_again(late):
    first, _ = late
    kinds = []
    for _ in range(20):
        answer = exchange({0: (first, b"0 next\n", 0.1)})[0]
        if isinstance(answer, Line):
            break
        kinds.append(answer.kind)
        first.suspend()
    assert isinstance(answer, Line)
    assert 2 <= len(kinds) <= 10  # the fewer, the later it is stopped where others are busy
    assert set(kinds) == {"timeout"}


def test_suspending_a_bot_that_has_ended_changes_nothing(session):
    process = session("import sys; input(); sys.exit(3)").start()
    assert english(exchange({0: (process, b"x\n", 60.0)})[0].reason) == "exited with status 3"
    process.suspend()
    assert english(exchange({0: (process, b"x\n", 60.0)})[0].reason) == "exited with status 3"


@pytest.mark.exhaustive
def test_a_bot_that_sets_itself_going_again_has_failed(session):
    """Timers send it SIGCONT."""
    restless = """
        import ctypes, signal, sys
        libc = ctypes.CDLL(None)
        event = (ctypes.c_int * 16)(0, 0, 18, 0)  # SIGEV_SIGNAL, SIGCONT
        signal.signal(signal.SIGCONT, lambda *_: None)
        input()
        for number in range(1, 200):
            timer = ctypes.c_void_p()
            once = (ctypes.c_long * 4)(0, 0, number // 10, number % 10 * 100_000_000)
            assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
            assert libc.timer_settime(timer, 0, once, None) == 0
        while True: pass
    """
    process, busy = session(restless).start(), session(SPIN).start()
    assert exchange({0: (process, b"x\n", 0.2)})[0].kind == "timeout"
    process.suspend()
    assert exchange({0: (busy, b"1 busy\n", 60.0)})[0].text == b"1 busy"
    answer = exchange({0: (process, b"x\n", 5.0)})[0]
    assert (answer.kind, english(answer.reason)) == ("crash", "kept running after it had been suspended")
