"""Programs that are alike are found with the lines, whatever was renamed; starters belong to no student."""

import time

from hypothesis import given
from hypothesis import strategies as st

from agon.teaching.similarity import pairs

STARTER = """import sys

def read_turn():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return [int(part) for part in line.split()]
"""
STRATEGY = """
def best(moves, board):
    top, found = -1, None
    for move in moves:
        value = board[move] * 3 + len(moves) - move
        if value > top:
            top, found = value, move
    return found
"""
RENAMED = """
# my own work
def choose(options, state):
    high, pick = -9, None      # start low

    for option in options:
        score = state[option] * 7 + len(options) - option
        if score > high:
            high, pick = score, option
    return pick
"""
OTHER = """
while True:
    numbers = read_turn()
    print(max(set(numbers), key=numbers.count) if numbers else "pass", flush=True)
"""


def test_a_renamed_passage_is_found_with_its_lines():
    [pair] = pairs({1: {"bot.py": STARTER + STRATEGY}, 2: {"main.py": RENAMED}, 3: {"bot.py": OTHER}}, [])
    assert (pair.left, pair.right) == (1, 2)
    [passage] = pair.passages
    assert (passage.left_file, passage.left_lines) == ("bot.py", (9, 15))
    assert (passage.right_file, passage.right_lines) == ("main.py", (3, 10))
    assert pair.right_share == 1


def test_what_is_in_a_starter_belongs_to_no_student():
    programs = {1: {"bot.py": STARTER + OTHER}, 2: {"bot.py": STARTER + STRATEGY}}
    assert len(pairs(programs, [])) == 1
    assert pairs(programs, [{"starter.py": STARTER}]) == []


def test_a_starter_hides_no_passage_beside_it():
    programs = {1: {"bot.py": STARTER + STRATEGY}, 2: {"bot.py": STARTER + RENAMED}}
    [pair] = pairs(programs, [{"starter.py": STARTER}])
    assert pair.left_share == pair.right_share == 1


def test_the_most_alike_come_first():
    programs = {1: {"a.py": STRATEGY}, 2: {"a.py": RENAMED}, 3: {"a.py": STRATEGY + OTHER * 3}}
    shares = [max(pair.left_share, pair.right_share) for pair in pairs(programs, [])]
    assert shares == sorted(shares, reverse=True)


def test_empty_and_short_programs_are_like_no_other():
    assert pairs({1: {}, 2: {"a.py": ""}, 3: {"a.py": "x = 1"}, 4: {"a.py": "x = 1"}}, []) == []


@given(st.text(), st.text())
def test_any_text_can_be_compared(left, right):
    for pair in pairs({1: {"a.py": left, "b.c": right}, 2: {"a.c": left}}, [{"c.py": right}]):
        assert 0 < pair.left_share <= 1
        assert 0 < pair.right_share <= 1


def test_text_made_to_be_slow_takes_time_in_proportion():
    hostile = ['"' * 60_000, "/*" * 30_000, "'''" * 20_000, "a" * 60_000, "( " * 30_000, "\\" * 60_000]
    began = time.process_time()
    pairs({place: {"bot.c": text} for place, text in enumerate(hostile + hostile)}, [])
    assert time.process_time() - began < 20


def test_text_made_to_be_slow_is_compared_for_a_bounded_time():
    hostile = "x = a + b * (c - d)\n" * 2000
    programs = {number: {"a.py": hostile} for number in range(20)}
    started = time.thread_time()
    alike = pairs(programs, [], seconds=0.1)
    took = time.thread_time() - started
    assert 1 <= len(alike) < 190
    assert took < 20  # some 2 s for scanning; comparing all pairs takes ten times as long
