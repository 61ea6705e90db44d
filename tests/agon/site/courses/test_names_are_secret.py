"""The real names, addresses and numbers of students are for the staff of the course alone."""

import json
import re

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.courses.models import Student
from tests.agon.site.courses.conftest import joined, take
from tests.agon.site.web.conftest import browser_of
from tests.support.crawling import crawled
from tests.support.factories import activate

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
ROSTER = (
    "id,name,e-mail,group\nmatr-90917,Alicia Zweigelt,zweigelt@school.example,Red-Pandas\n"
    "matr-90918,Boris Blaufränkisch,blau@school.example,Red-Pandas\n"
)
SECRET = re.compile("zweigelt|blaufr|alicia|matr-909|school.example|red-pandas", re.IGNORECASE)
STARTS = ["/", "/courses/", "/courses/strategy-101/", "/c/strategy-101/", "/api/v1/competitions/strategy-101"]


@pytest.fixture
def boris(teacher, course) -> Client:
    """The browser of a student; the bots of another one have played."""
    take(teacher, course, ROSTER, remove_missing="on")
    joined(teacher, course, "Alicia Zweigelt")
    browser = joined(teacher, course, "Boris Blaufränkisch")
    competition = course.competitions.get()
    for student in Student.objects.filter(user__isnull=False):
        activate(student.user, competition, [f"Bot {student.pk}"])
    return browser


@pytest.mark.first(1)
@pytest.mark.parametrize("reader", ["student", "stranger", "visitor"])
def test_a_crawl_finds_no_name_for_others_than_the_staff(boris, reader):
    stranger = browser_of(User.objects.create_user("sam"))
    browser = {"student": boris, "stranger": stranger, "visitor": Client()}[reader]
    pages = crawled(browser, STARTS, re.compile("^/(artifacts|sources)/"), 3)
    assert len(pages) > 30
    assert any("Bot " in body.decode(errors="replace") for body in pages.values())
    leaks = {address for address, body in pages.items() if SECRET.search(body.decode(errors="replace"))}
    assert leaks == set()


def test_the_staff_sees_the_names_and_so_the_search_for_them_works(boris, teacher, assistant):
    for browser in (teacher, assistant):
        assert SECRET.search(browser.get("/courses/strategy-101/").content.decode())


def test_the_api_has_no_name(boris):
    document = json.loads(Client().get("/api/v1/openapi.json").content)
    bot = Bot.objects.filter(owner__studies__isnull=False).first()
    values = {"slug": "strategy-101", "number": str(bot.pk), "name": bot.owner.username}
    read = 0
    for path, operations in document["paths"].items():
        if "get" not in operations or path.endswith("/stream"):
            continue
        address = re.sub(r"{(\w+)}", lambda place: values.get(place[1], str(bot.pk)), path)
        for browser in (boris, Client()):
            answer = browser.get(address)
            body = b"".join(answer.streaming_content) if answer.streaming and not answer.is_async else answer
            text = (
                body.decode(errors="replace")
                if isinstance(body, bytes)
                else answer.content.decode(errors="replace")
            )
            assert not SECRET.search(text), address
            read += answer.status_code == 200
    assert read > 10
