"""A competition is found with hyphens for underscores in its address, and the other way round."""

import pytest
from django.test import Client

from agon.site.competitions.models import Competition


@pytest.fixture(autouse=True)
def competitions(db):
    Competition.objects.create(slug="honest-rps", game="honest_rps", title="Honest RPS")
    Competition.objects.create(slug="camel_up", game="camel_up", title="Camel Up")


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("/c/honest_rps/", "/c/honest-rps/"),
        ("/c/honest_rps/matches/?result=won&page=2", "/c/honest-rps/matches/?result=won&page=2"),
        ("/c/honest_rps/rules/", "/c/honest-rps/rules/"),
        ("/c/camel-up/tournaments/", "/c/camel_up/tournaments/"),
        ("/c/camel-up/events/", "/c/camel_up/events/"),
    ],
)
def test_the_other_spelling_leads_to_the_same_page(client, given, canonical):
    answer = client.get(given)
    assert (answer.status_code, answer.headers["Location"]) == (302, canonical)


@pytest.mark.parametrize(
    "address", ["/c/chess/", "/c/honest_rps/rules/starters/none", "/nowhere/", "/matches/9/"]
)
def test_what_does_not_exist_stays_so(client, address):
    answer = client.get(address, follow=True)
    assert answer.status_code == 404
    assert "<h1" in answer.content.decode()


def test_nothing_is_sent_on_that_changes_something():
    assert Client().post("/c/honest_rps/first-win/", {"bot": "1"}).status_code in (302, 404)
    assert Client().post("/c/honest_rps/events/").status_code != 302


def test_where_both_spellings_exist_each_is_its_own(client):
    Competition.objects.create(slug="honest_rps", game="honest_rps", title="Another")
    assert "Another" in client.get("/c/honest_rps/").content.decode()
    assert client.get("/c/honest_rps/rules/starters/none").status_code == 404
