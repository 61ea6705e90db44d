"""A bot that was late and stays in the game: its late answer is not taken for the next one's."""

import select

import pytest

from sandbox.api import Failed, Limits, Line
from sandbox.channel import exchange

# Answers each line with its own text, after the seconds that it begins with.
ECHO = """
import sys, time
for line in sys.stdin:
    time.sleep(float(line.split()[0]))
    print(line, end="", flush=True)
"""


@pytest.fixture
def ask(sandbox, artifacts):
    box = sandbox.open(artifacts(ECHO), Limits())
    session = box.session()
    process = session.start()

    def ask(text: str, seconds: float) -> Line | Failed:
        return exchange({0: (process, f"{text}\n".encode(), seconds)})[0]

    ask.output = process.stdout
    assert ask("0 hello", 10).text == b"0 hello"
    yield ask
    session.close()
    box.close()


def test_a_late_answer_that_comes_while_the_next_is_awaited_is_skipped(ask):
    assert ask("0.6 slow", 0.2).kind == "timeout"
    assert ask("0 next", 10).text == b"0 next"
    assert ask("0 after that", 10).text == b"0 after that"


def test_a_late_answer_that_came_before_the_next_question_is_dropped(ask):
    assert ask("0.3 slow", 0.1).kind == "timeout"
    assert select.select([ask.output], [], [], 10)[0]
    assert ask("0 next", 10).text == b"0 next"
    assert ask("0 after that", 10).text == b"0 after that"


def test_all_late_answers_are_skipped_when_several_are_owed(ask):
    assert [ask(f"0.2 slow {number}", 0.02).kind for number in range(3)] == ["timeout"] * 3
    assert ask("0 next", 10).text == b"0 next"
    assert ask("0 after that", 10).text == b"0 after that"
