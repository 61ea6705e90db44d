"""A course of a teacher with three students on its roster, made by the pages, and browsers."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from agon.site.accounts.models import User
from agon.site.courses.models import Course
from tests.agon.site.web.conftest import browser_of

ROSTER = (
    "id,name,e-mail,group\n1,Alice Anders,alice@school.example,Red\n2,Boris Blau,,Red\n3,Chiyo Sato,,Blue\n"
)
PASSWORD = "quite a long one 7"


def take(browser: Client, course: Course, text: str, **more: str):
    """Take a roster as the page of the difference does."""
    course.refresh_from_db()
    facts = {"text": text, "take": "1", "revision": str(course.revision)} | more
    return browser.post(f"/courses/{course.slug}/roster/", facts, follow=True)


def links_of(browser: Client, course: Course) -> dict[str, str]:
    """The personal links on the sheet to print, by the student's name."""
    page = browser.get(f"/courses/{course.slug}/links/").content.decode()
    strips = page.split('class="strip"')[1:]
    return {
        re.search(r"<strong>(.+?)</strong>", strip)[1]: re.search(r"https?://[^/]+(/join/[\w-]+/)", strip)[1]
        for strip in strips
    }


def joined(teacher: Client, course: Course, name: str) -> Client:
    """The browser of a student who has joined with a password."""
    browser = Client()
    answer = browser.post(links_of(teacher, course)[name], {"password": PASSWORD})
    assert answer.status_code == 302, answer.content.decode()
    return browser


@pytest.fixture
def tina(db) -> User:
    user = User.objects.create_user("tina")
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def teacher(tina) -> Client:
    return browser_of(tina)


@pytest.fixture
def course(teacher) -> Course:
    facts = {"title": "Strategy 101", "game": "samurai", "time_zone": "Europe/Berlin"}
    assert teacher.post("/courses/new/", facts).status_code == 302
    made = Course.objects.get(slug="strategy-101")
    assert take(teacher, made, ROSTER).status_code == 200
    return made


@pytest.fixture
def assistant(teacher, course) -> Client:
    user = User.objects.create_user("abel")
    teacher.post(f"/courses/{course.slug}/staff/", {"name": "abel", "role": "assistant"})
    return browser_of(user)
