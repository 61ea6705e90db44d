"""A game that is gone is named where a program asks for what needs it, as on pages; the rest is there."""

import pytest
from django.test import Client

from agon.site.competitions.models import Competition
from tests.support.one_of_each import one_of_each

pytestmark = pytest.mark.django_db
NEEDED = (
    "/competitions/samurai/starters",
    "/competitions/samurai/opponents",
    "/bots/{bot}",
    "/matches/{match}/archive",
)
NOT_NEEDED = (
    "/competitions",
    "/competitions/samurai",
    "/competitions/samurai/leaderboard",
    "/matches/{match}",
    "/tournaments/{cup}/standings",  # a tournament keeps the rules from its start
    "/seasons/{season}/board",
)


@pytest.fixture
def place(user, competition):
    """The addresses, with the numbers of what was there before the game was removed."""
    site = one_of_each(user, competition)
    Competition.objects.update(game="gone")
    numbers = {
        "bot": site["own"].bot.pk,
        "match": site["ladder"].pk,
        "cup": site["cups"][0].pk,
        "season": site["season"].pk,
    }
    return lambda address: f"/api/v1{address.format(**numbers)}"


def test_what_needs_it_is_unavailable_and_says_why(place):
    for address in NEEDED:
        answer = Client().get(place(address))
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), address
        assert "there is no game 'gone'" in answer.json()["detail"]


def test_the_rest_is_there(place):
    assert [Client().get(place(address)).status_code for address in NOT_NEEDED] == [200] * len(NOT_NEEDED)
