"""A bot that was late and stays in the game: its late answer is not taken for the next one's."""

import select

import pytest

from sandbox.api import Failed, Line
from sandbox.boxes.channel import exchange

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
