"""Similar programs: found where one was copied and renamed, and shown to the staff alone."""

import re

import pytest

from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.courses.models import Student
from games.core.manifest import starters
from tests.agon.site.courses.conftest import joined

pytestmark = pytest.mark.django_db
ADDRESS = "/courses/strategy-101/similar/"
OWN = """
def influence(board, row, column):
    total = 0
    for step in range(1, 5):
        if board[row][column] != 0:
            total += board[row][column] * step
        elif row > column and total < 10:
            total -= abs(row - column)
        else:
            return total * 2
    return total if total > 0 else -total


def best(board):
    places = [(influence(board, row, column), row, column) for row in range(9) for column in range(9)]
    places.sort(reverse=True)
    return places[0][1:] if places[0][0] > places[-1][0] else (4, 4)
"""
COPY = (
    OWN.replace("influence", "score").replace("board", "field").replace("total", "sum_").replace("10", "12")
)
OTHER = """
import random
CHOICES = {"north": (0, 1), "south": (0, -1)}


class Walker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def walk(self):
        while True:
            name, move = self.random.choice(sorted(CHOICES.items()))
            yield name, move
"""


def enter(browser, text: str) -> None:
    name = f"Bot {Bot.objects.filter(house=False).count()}"
    sent = {"name": name, "way": "text", "text": text, "language": "python"}
    assert browser.post("/c/strategy-101/submit/", sent).status_code == 302


def pairs(browser) -> list[str]:
    page = browser.get(ADDRESS).content.decode().partition('id="pairs"')[2]
    return re.findall(r"<summary>(.*?)</summary>", page)


def test_a_renamed_copy_is_found_with_its_passage(teacher, course):
    for name, text in (("Alice Anders", OWN), ("Boris Blau", "# mine\n" + COPY), ("Chiyo Sato", OTHER)):
        enter(joined(teacher, course, name), text)
    assert pairs(teacher) == ["Alice Anders (100 %) · Boris Blau (100 %)"]
    page = teacher.get(ADDRESS).content.decode()
    assert "def influence(board, row, column):" in page
    assert "def score(field, row, column):" in page
    assert "Programs compared: 3." in page


def test_starters_are_nobodys_own(teacher, course):
    starter = next(
        bot
        for bot in starters(course.competitions.get().info)
        if bot.language == "python" and bot.path.is_file()
    )
    for name in ("Alice Anders", "Boris Blau"):
        enter(joined(teacher, course, name), starter.path.read_text())
    assert pairs(teacher) == []


def test_the_last_version_counts_and_a_former_student_is_left_out(teacher, course):
    alice, boris = joined(teacher, course, "Alice Anders"), joined(teacher, course, "Boris Blau")
    enter(alice, OWN)
    enter(boris, COPY)
    assert len(pairs(teacher)) == 1
    place = Student.objects.get(number="2")
    teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "remove"})
    assert pairs(teacher) == []


def test_a_program_that_cannot_be_read_is_left_out_and_said(teacher, course):
    alice = joined(teacher, course, "Alice Anders")
    enter(alice, OWN)
    version = Student.objects.get(number="1").user.bots.get().submissions.get()
    version.source.delete()
    assert (
        "Left out, because they cannot be read or are too many: 1." in teacher.get(ADDRESS).content.decode()
    )


def test_a_deleted_bot_is_left_out_even_while_its_program_is_kept_for_a_tournament(teacher, course):
    enter(joined(teacher, course, "Alice Anders"), OWN)
    enter(joined(teacher, course, "Boris Blau"), COPY)
    Bot.objects.filter(owner=Student.objects.get(number="2").user).update(state=BotState.DELETED)
    assert pairs(teacher) == []


def test_students_see_nothing_of_it(teacher, course, assistant):
    alice = joined(teacher, course, "Alice Anders")
    assert alice.get(ADDRESS).status_code == 404
    assert assistant.get(ADDRESS).status_code == 200
