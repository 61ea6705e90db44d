"""Administrators open competitions of games that there are, and house bots enter by themselves."""

import pytest
from django.urls import reverse

from agon.site.competitions.models import Competition
from agon.site.use_cases import house_bots

from .conftest import browser_of, play

pytestmark = pytest.mark.django_db
NEW = {
    "slug": "spring",
    "game": "samurai",
    "title": "Spring cup",
    "summary": "",
    "state": "open",
    "keep_mib": 100,
    "teams": "any",
}


@pytest.fixture
def admin(organizer):
    return browser_of(organizer)


def add(admin, **fields):
    return admin.post(reverse("admin:competitions_competition_add"), NEW | {"why": "a new season"} | fields)


def change(admin, competition, **fields):
    fields = {name: getattr(competition, name) for name in NEW} | {"why": "a new season"} | fields
    return admin.post(reverse("admin:competitions_competition_change", args=[competition.pk]), fields)


def test_pages_lead_those_who_may_to_the_forms(admin, user, bob, competition, client):
    new = reverse("admin:competitions_competition_add")
    edit = reverse("admin:competitions_competition_change", args=[competition.pk])
    user.is_staff = True
    user.save()
    for browser, sees in (
        (admin, True),
        (browser_of(user), False),
        (browser_of(bob), False),
        (client, False),
    ):
        assert (new in browser.get("/").content.decode()) is sees
        assert (edit in browser.get("/c/samurai/").content.decode()) is sees


def test_another_game_for_a_competition_without_bots_is_no_other_version_of_its_game(admin):
    add(admin)
    competition = Competition.objects.get()
    Competition.objects.update(game_version="0")
    change(admin, competition, game="honest_rps")
    competition.refresh_from_db()
    assert (competition.game, competition.game_version) == ("honest_rps", competition.info.version)


def test_a_game_that_does_not_exist_is_refused_and_those_that_do_are_offered(admin):
    page = add(admin, game="chess")
    assert page.status_code == 200
    assert "chess is not one of the available choices" in page.content.decode()
    assert not Competition.objects.exists()
    for title in ("Samurai", "Coup", "Camel Up Cup"):
        assert f">{title}</option>" in page.content.decode()


def test_a_new_competition_works_at_once_and_lacks_only_house_bots(admin, client):
    assert add(admin).status_code == 302
    spring = Competition.objects.get()
    assert client.get("/c/spring/").status_code == 200
    assert client.get("/c/spring/rules/").status_code == 200
    assert house_bots.missing() == [spring]


def test_the_form_says_what_its_fields_are_for_and_proposes_an_address(admin):
    page = admin.get(reverse("admin:competitions_competition_add")).content.decode()
    assert "prepopulate_init.js" in page
    assert "The competition is at /c/address/." in page
    assert "Empty: what the game says of itself." in page


@pytest.mark.parametrize("title", ["Spring cup", " spring  CUP "])
def test_two_competitions_are_not_called_the_same(admin, client, title):
    add(admin)
    page = add(admin, slug="other", title=title).content.decode()
    assert "There is a competition of this title." in page
    assert Competition.objects.count() == 1
    assert change(admin, Competition.objects.get(), summary="Changed").status_code == 302


def test_without_a_summary_the_game_speaks_for_itself(admin, client):
    add(admin)
    for path in ("/", "/c/spring/", "/c/spring/editor/"):
        assert "Four daimyo negotiate with six lords" in client.get(path).content.decode(), path


def test_game_and_address_cannot_change_once_there_are_bots_or_matches(admin, four):
    """Links lead to the address."""
    competition = four[0].bot.competition
    page = change(admin, competition, game="coup", slug="other", title="Renamed")
    competition.refresh_from_db()
    assert page.status_code == 302
    assert (competition.game, competition.slug, competition.title) == ("samurai", "samurai", "Renamed")


def test_they_can_change_before_that_and_a_competition_can_be_deleted(admin, competition):
    """A closed one gets no house bots: it can be prepared in peace."""
    Competition.objects.update(state="closed")
    competition.refresh_from_db()
    assert house_bots.missing() == []
    change(admin, competition, game="coup", slug="other")
    competition.refresh_from_db()
    assert (competition.game, competition.slug) == ("coup", "other")
    address = reverse("admin:competitions_competition_delete", args=[competition.pk])
    assert admin.post(address, {"post": "yes"}).status_code == 302
    assert not Competition.objects.exists()


def test_a_competition_with_matches_is_closed_and_not_deleted(admin, four):
    competition = four[0].bot.competition
    play(four)
    address = reverse("admin:competitions_competition_delete", args=[competition.pk])
    assert admin.post(address, {"post": "yes"}).status_code == 403
    assert Competition.objects.exists()
