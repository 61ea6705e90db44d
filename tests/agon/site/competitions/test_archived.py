"""Archived competitions: in no list but one of their own, and with all of their pages."""

import pytest
from django.test import Client
from django.urls import reverse

from agon.site.accounts.models import User
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.tokens.services import issue
from tests.agon.site.web.conftest import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def old(olga) -> Competition:
    """A competition that olga has archived."""
    made = Competition.objects.create(slug="old-cup", game="honest_rps", title="Old cup")
    made.organizers.create(user=olga)
    organizing.set_state(made, Competition.State.ARCHIVED, olga, "It is over.")
    return Competition.objects.get(pk=made.pk)


def names(path: str) -> list[str]:
    return [item["slug"] for item in Client().get(f"/api/v1/{path}").json()["items"]]


@pytest.mark.parametrize("part", ["", "&part=cards"])
def test_the_home_page_shows_them_on_a_page_of_their_own(competition, old, part):
    usual = Client().get(f"/?page=1{part}").content.decode()
    assert (competition.title in usual, old.title in usual) == (True, False)
    assert 'href="/?archived=true#competitions"' in usual
    shown = Client().get(f"/?archived=true{part}").content.decode()
    assert (f'id="card-{competition.slug}"' in shown, old.title in shown) == (False, True)
    assert 'href="/#competitions"' in shown


def test_an_open_list_of_archived_ones_stays_one(old):
    assert (
        'hx-get="/?part=cards&amp;page=1&amp;archived=true"'
        in Client().get("/?archived=true").content.decode()
    )


def test_the_pages_of_their_list_lead_to_each_other():
    Competition.objects.bulk_create(
        Competition(slug=f"cup-{number}", game="honest_rps", title=f"Cup {number:02}", state="archived")
        for number in range(30)
    )
    first = Client().get("/?archived=true").content.decode()
    assert 'href="?archived=true&amp;page=2#competitions"' in first
    second = Client().get("/?archived=true&page=2").content.decode()
    assert ("Cup 23" in second, "Cup 24" in second) == (False, True)


def test_a_site_without_archived_ones_has_no_link_to_them(competition):
    assert "archived=true" not in Client().get("/").content.decode()
    assert "No competition is archived" in Client().get("/?archived=true").content.decode()


def test_the_api_lists_them_only_if_asked(competition, old):
    assert names("competitions") == [competition.slug]
    assert names("competitions?archived=true") == [old.slug]
    assert Client().get("/api/v1/competitions?archived=perhaps").status_code == 422


def test_no_token_is_made_for_one_and_an_old_token_stays(user, competition, old):
    offered = browser_of(user).get(reverse("tokens")).context["form"].fields["competition"].queryset
    assert list(offered) == [competition]
    before = issue(user, "test", ["read"], old)[1]
    assert Client().get("/api/v1/me", headers={"authorization": f"Bearer {before}"}).status_code == 200


def test_those_who_run_one_find_it_by_a_link(olga, desk, competition, old):
    competition.organizers.create(user=olga)
    settings = f"/c/{old.slug}/settings/"
    page = desk.get("/competitions/").content.decode()
    assert (f"/c/{competition.slug}/settings/" in page, settings in page) == (True, False)
    assert 'href="/competitions/?archived=true"' in page
    assert settings in desk.get("/competitions/?archived=true").content.decode()


@pytest.mark.parametrize("path", ["", "rules/", "matches/", "tournaments/", "changes/"])
def test_its_pages_are_still_there(old, path):
    assert Client().get(f"/c/{old.slug}/{path}").status_code == 200


def test_it_can_be_opened_again(old, olga):
    organizing.set_state(old, Competition.State.OPEN, olga, "Once more.")
    assert old.title in Client().get("/").content.decode()


def test_a_bot_cannot_enter_one(old):
    sent = {"way": "text", "name": "Rita", "text": "def play(view):\n    return 0\n", "language": "python"}
    browser_of(User.objects.create_user("eve")).post(f"/c/{old.slug}/submit/", sent)
    assert not old.bots.exists()
