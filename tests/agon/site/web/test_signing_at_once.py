"""Many visitors sign up with one name, or guess at one password, at the very same moment."""

from collections.abc import Callable
from functools import partial

import pytest
from django.core.cache import caches
from django.test import Client

from agon.site.accounts.models import User
from agon.site.core.cache import PatientFiles
from tests.support.at_once import outcomes_at_once

from .conftest import PASSWORD

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
]

VISITORS = 8
GUESSES = 40


def at_once(number: int, act: Callable[[int], object]) -> list[object]:
    """What so many threads got that did the same at the same time."""
    return outcomes_at_once([partial(act, index) for index in range(number)])


def sign_up(name: str) -> tuple[int, str]:
    client = Client(raise_request_exception=False)
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    answer = client.post("/accounts/signup/", form)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize("names", [["rita"], ["rita", "RITA", "ｒｉｔａ"]])
def test_of_simultaneous_sign_ups_one_gets_the_name_and_the_others_the_form(names):
    got = at_once(VISITORS, lambda index: sign_up(names[index % len(names)]))
    assert sorted(status for status, _ in got) == [200] * (VISITORS - 1) + [302]
    assert User.objects.filter(name_key="rita").count() == 1
    pages = [page for status, page in got if status == 200]
    assert all('id="id_username_error"' in page for page in pages)


def guess(name: str) -> str:
    """How a wrong password was answered: tried, refused, or neither."""
    client = Client(REMOTE_ADDR="192.0.2.66", raise_request_exception=False)
    answer = client.post("/accounts/login/", {"login": name, "password": "wrong"})
    if answer.status_code == 429 or "Too many failed login attempts" in answer.content.decode():
        return "refused"
    return "tried" if answer.status_code == 200 else str(answer.status_code)


@pytest.mark.parametrize("names", [["rita"], ["rita", " Rita", "ｒｉｔａ"]])
def test_of_parallel_guesses_no_more_than_five_are_tried(names):
    User.objects.create_user("rita", "", PASSWORD)
    answers = at_once(GUESSES, lambda index: guess(names[index % len(names)]))
    assert {*answers} == {"tried", "refused"}
    assert answers.count("tried") <= 5


def test_a_cache_of_files_adds_once_and_loses_no_count(tmp_path):
    """Rate limits are locked by `add`, from threads and processes alike."""
    for number in range(20):
        added = at_once(
            8, lambda index, number=number: PatientFiles(tmp_path, {}).add(f"key-{number}", index)
        )
        assert sum(map(bool, added)) == 1
    PatientFiles(tmp_path, {}).set("count", 0)
    at_once(8, lambda _index: [PatientFiles(tmp_path, {}).incr("count") for _ in range(10)])
    assert PatientFiles(tmp_path, {}).get("count") == 80


def test_the_cache_of_these_tests_is_that_of_a_site():
    assert type(caches["default"]).__module__ in ("agon.site.core.cache", "agon.site.core.redis_cache")
