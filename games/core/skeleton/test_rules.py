"""The rules, played by scripted seats: no processes, no waiting. pytest finds this file by itself.

What every game must fulfill is checked by `agon check-game`, not here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from games.core.compliance import scripted
from games.core.driver import Driver, Request
from games.core.manifest import load
from games.core.reason import sentence
from games.core.reason_texts import template_of

from .referee import HIGHEST, ROUNDS

INFO = load(Path(__file__).parent.name)


def match(first: str, second: str) -> Driver:
    """A match in which each seat gives the same answer in every round."""
    return scripted.play(INFO, [lambda request: first, lambda request: second], seed=1)


def scores(driver: Driver) -> list[int]:
    return [int(score) for score in driver.scores]


def points(named: int, driver: Driver) -> int:
    return ROUNDS * named * (2 if named == driver.summary["lucky"] else 1)


@pytest.mark.parametrize("named", range(2, HIGHEST + 1))
def test_a_number_counts_itself_and_twice_when_it_is_lucky(named: int) -> None:
    driver = match(str(named), "1")
    assert scores(driver) == [points(named, driver), points(1, driver)]


def test_equal_numbers_count_nothing() -> None:
    assert scores(match("4", "4")) == [0, 0]


@pytest.mark.parametrize("answer", ["0", "6", "1.0", "", "five", "+5"])
def test_an_answer_that_is_no_number_from_1_to_5_counts_as_1(answer: str) -> None:
    driver = match(answer, "2")
    assert driver.scores == match("1", "2").scores
    assert (
        sentence(driver.faults[0].reason, template_of)
        == f"round 1: expected a number from 1 to 5, got {answer!r}"
    )


def test_blanks_and_carriage_returns_do_no_harm() -> None:
    assert match(" 5 \r", "2").faults == []


def test_the_worked_example_is_a_real_match() -> None:
    page = (INFO.folder / "rules.en.md").read_text(encoding="utf-8")
    sent = [""] * ROUNDS

    def first(request: Request) -> str:
        sent[request.step] = str(request.view)
        return "5"

    scripted.play(INFO, [first, lambda request: str(request.step % HIGHEST + 1)], seed=1)
    assert re.findall(r"^> (.*\n)", page, re.MULTILINE) == sent[:4]
