"""Quick answers, of which only the wall time is measured, and what makes an answer none."""

import pytest

from sandbox.api import Failed, Limits, Line
from sandbox.boxes.channel import exchange
from sandbox.reason_texts import english
from tests.support.cpu_load import ask

ECHO = """
    import sys, time
    for line in sys.stdin:
        time.sleep(float(line))
        print("done", flush=True)
"""


@pytest.fixture
def quick(session):
    """A bot that has shown that it answers quickly, and echoes the lines that it is told to."""

    def make(source, limits=None):
        process = session(source, limits).start()
        for _ in range(100):
            if not ask(process, b"0\n", 60.0).times.measured:
                return process
        raise AssertionError("a hundred answers, and none was quick")

    return make


def test_of_a_quick_answer_only_the_wall_time_is_measured(quick):
    """On a busy machine not every answer is quick, but some are."""
    process = quick(ECHO)
    answers = [ask(process, b"0\n", 60.0) for _ in range(50)]
    assert {answer.text for answer in answers} == {b"done"}
    unmeasured = [answer.times for answer in answers if not answer.times.measured]
    assert unmeasured
    for times in unmeasured:
        assert 0 < times.charged_us == times.wall_us < 15_000_000


def test_of_a_slow_answer_everything_is_measured(quick):
    process = quick(ECHO)
    for _ in range(2):
        answer = ask(process, b"0.05\n", 60.0)
        assert answer.text == b"done"
        assert answer.times.measured
        assert answer.times.wall_us >= 50_000


def test_a_bot_that_was_quick_is_stopped_at_its_limit_when_it_sleeps(quick):
    answer = ask(quick(ECHO), b"60\n", 0.3)
    assert isinstance(answer, Failed)
    assert answer.kind == "timeout"
    assert 295_000 <= answer.times.charged_us < 300_000 * 1.5 + 500_000


def test_one_slow_bot_does_not_keep_another_ones_answer(quick):
    slow, fast = quick(ECHO), quick(ECHO)
    answers = exchange({"slow": (slow, b"60\n", 0.3), "fast": (fast, b"0\n", 60.0)})
    assert isinstance(answers["slow"], Failed)
    assert answers["fast"].text == b"done"


# Writes what follows the seconds, with a pause of so many seconds at each comma.
PARTS = """
    import os, sys, time
    for line in sys.stdin:
        pause, _, parts = line.strip().partition(" ")
        for part in (parts or "done;").split(","):
            os.write(1, part.replace(";", "\\n").encode())
            time.sleep(float(pause))
"""


@pytest.mark.parametrize(
    ("parts", "text"),
    [("one;two;", b"one"), ("on,e;", b"one"), (";", b""), ("a" * 70_000 + ";", b"a" * (64 << 10))],
    ids=["two lines", "two parts", "an empty line", "a giant line"],
)
def test_an_answer_is_the_first_line_and_the_rest_is_not_the_next_answer(quick, parts, text):
    process = quick(PARTS)
    for _ in range(2):
        assert ask(process, f"0.01 {parts}\n".encode(), 60.0).text == text
        assert ask(process, b"0 next;\n", 60.0).text == b"next"


def test_more_output_than_allowed_is_a_flood(quick):
    process = quick(PARTS, Limits(output_bytes=4096))
    answer = ask(process, b"0 " + b"x;" * 3000 + b"\n", 60.0)
    assert isinstance(answer, Failed)
    assert answer.kind == "flood"


def test_a_bot_that_ends_instead_of_answering_has_crashed(quick):
    process = quick(
        "import sys\nfor line in sys.stdin:\n    if line[0] != '0': sys.exit(3)\n    print(flush=True)"
    )
    answer = ask(process, b"1\n", 60.0)
    assert isinstance(answer, Failed)
    assert english(answer.reason) == "exited with status 3"


def test_a_question_that_does_not_fit_into_the_pipe_is_sent_as_it_is_read(quick):
    answer = ask(
        quick("import sys\nfor line in sys.stdin: print(len(line), flush=True)"), b"a" * 300_000 + b"\n", 60.0
    )
    assert isinstance(answer, Line)
    assert answer.text == b"300001"
