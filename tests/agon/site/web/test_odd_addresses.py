"""Addresses that nobody's page has, however odd, are not found; none is a failure of the site's."""

from urllib.parse import quote

import pytest
from django.test import Client

from agon.site.accounts.models import User

from .conftest import browser_of

pytestmark = pytest.mark.production

ODD = [
    "-1",
    "0",
    "99999999999999999999999999",
    "9" * 5000,
    "NaN",
    "1e9",
    "%00",
    "1%00",
    "%ff",
    "²",
    "٣",
    "%ED%A0%80",
    "..%2f..%2fetc%2fpasswd",
    "../../etc/passwd",
    "%0d%0aX:%20y",
    "'",
    '"><script>',
    "a" * 3000,
    "\U0001f600",
    "",
]
PLACES = [
    "/matches/{}/",
    "/matches/{}/record.json",
    "/matches/{}/archive",
    "/matches/{}/embed/",
    "/matches/{}/picture.png",
    "/oembed/?url={}",
    "/matches/1/files/{}",
    "/matches/1/stderr/{}",
    "/games/{}/viewer.js",
    "/bots/{}/",
    "/submissions/{}/",
    "/submissions/{}/source",
    "/submissions/{}/remove/",
    *(f"/bots/{{}}/{act}/" for act in ("stop", "release", "withdraw", "reenter", "rename", "delete")),
    "/u/{}/close/",
    "/tournaments/{}/",
    "/tournaments/{}/archive",
    "/c/{}/",
    "/c/{}/events",
    "/c/{}/matches/",
    "/c/{}/rules/",
    "/c/{}/submit/",
    "/c/{}/editor/",
    "/trials/{}/",
    "/trials/{}/batch/",
    "/trials/{}/log.json",
    "/c/samurai/rules/starters/{}",
    "/c/{}/tournaments/",
    "/u/{}/",
]
QUERIES = [
    "/?part={0}",
    "/c/samurai/?part={0}",
    "/c/samurai/submit/?bot={0}",
    "/c/samurai/editor/?trial={0}&starter={0}&version={0}",
    "/c/samurai/matches/?page={0}&bot={0}&tournament={0}&state={0}&kind={0}",
    "/c/samurai/tournaments/?page={0}",
    "/c/samurai/tournaments/new/estimate/?format={0}&rounds={0}&seed={0}&bots={0}",
    "/c/samurai/tournaments/new/estimate/?format=drawn&rounds={0}&seed=1&bots=1&bots={0}",
    "/accounts/login/?next={0}",
]


@pytest.fixture
def desk(competition) -> Client:
    return browser_of(User.objects.create_superuser("orga"))


@pytest.mark.first(10)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_nobodys_address_is_not_found(desk, place):
    answers = {odd: desk.get(place.format(odd), follow=True).status_code for odd in filter(None, ODD)}
    assert set(answers.values()) == {404}, answers


@pytest.mark.parametrize("place", QUERIES)
def test_what_is_no_answer_to_a_question_is_taken_for_none(desk, place):
    answers = {odd: desk.get(place.format(quote(odd, safe="%"))).status_code for odd in ODD}
    assert set(answers.values()) <= {200, 302}, answers


@pytest.mark.parametrize("page", ["/", "/c/samurai/", "/accounts/login/"])
def test_a_cookie_with_a_null_character_is_none(competition, page):
    odd = Client(headers={"cookie": 'sessionid="\\000aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"'})
    assert odd.get(page).status_code == 200
