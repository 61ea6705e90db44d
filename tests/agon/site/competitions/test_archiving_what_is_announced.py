"""An announced tournament does not disappear: it keeps its competition from being archived until it is
cancelled, and its page says why it was."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.tokens.services import issue
from agon.site.tournaments import deadlines, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import active_bots

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup(competition, olga) -> Competition:
    competition.organizers.create(user=olga)
    return competition


@pytest.fixture
def final(cup, olga) -> Tournament:
    tomorrow = Start(timezone.now() + timedelta(days=1), "people")
    return services.create(olga, cup, "Grand final", "swiss", 1, 1, [], {}, tomorrow)


def by_page(cup, olga):
    sent = {"state": "archived", "why": "It is over."}
    return browser_of(olga).post(reverse("competition_state", args=[cup.slug]), sent, follow=True)


def by_api(cup, olga):
    token = issue(olga, "test", ["read", "organize"])[1]
    sent = {"state": "archived", "reason": "It is over."}
    return Client().post(
        f"/api/v1/competitions/{cup.slug}/state",
        sent,
        "application/json",
        headers={"authorization": f"Bearer {token}"},
    )


def by_admin(cup, _olga):
    staff = User.objects.filter(is_superuser=True).first() or User.objects.create_superuser("root")
    sent = {name: getattr(cup, name) for name in ("title", "slug", "game", "summary", "teams", "keep_mib")}
    address = reverse("admin:competitions_competition_change", args=[cup.pk])
    return browser_of(staff).post(address, sent | {"state": "archived", "why": "It is over."}, follow=True)


WAYS = [by_page, by_api, by_admin]


@pytest.mark.parametrize("archive", WAYS)
def test_it_keeps_a_competition_from_being_archived_by_name(archive, cup, final, olga):
    assert "Grand final" in archive(cup, olga).content.decode()
    cup.refresh_from_db()
    assert cup.state == "open"
    Tournament.objects.filter(pk=final.pk).update(starts_at=timezone.now())
    deadlines.tick()  # without entrants: it cannot start, which ends the waiting
    archive(cup, olga)
    cup.refresh_from_db()
    assert cup.state == "archived"


@pytest.mark.parametrize("archive", WAYS)
def test_once_it_is_cancelled_the_competition_is_archived_and_everyone_reads_why(archive, cup, final, olga):
    browser_of(olga).post(
        reverse("tournament_cancel", args=[final.pk]), {"reason": "The hall has burned down."}
    )
    archive(cup, olga)
    cup.refresh_from_db()
    assert cup.state == "archived"
    page = Client().get(final.get_absolute_url())
    assert page.status_code == 200
    assert "The hall has burned down." in page.content.decode()
    assert Client().get(f"/api/v1/tournaments/{final.pk}").json()["state"] == "cancelled"
    assert "Grand final" in Client().get(f"/c/{cup.slug}/tournaments/").content.decode()


def test_one_that_could_not_start_says_so_to_everyone(cup, final):
    Tournament.objects.filter(pk=final.pk).update(starts_at=timezone.now())
    deadlines.tick()
    assert "could not start" in Client().get(final.get_absolute_url()).content.decode()


def test_a_draft_whose_entrants_were_chosen_stays_hidden_when_it_is_cancelled(cup, olga):
    bots = active_bots(olga, cup, list("abcd"))
    draft = services.create(olga, cup, "Private", "drawn", 1, 1, bots)
    services.cancel(draft, olga, "No.")
    assert Client().get(draft.get_absolute_url()).status_code == 404


def test_nothing_is_announced_in_an_archived_competition(cup, olga):
    by_page(cup, olga)
    token = issue(olga, "test", ["read", "organize"])[1]
    sent = {
        "competition": cup.slug,
        "name": "Final",
        "format": "swiss",
        "rounds": 1,
        "field": "people",
        "starts_at": (timezone.now() + timedelta(days=1)).isoformat(),
    }
    refused = Client().post(
        "/api/v1/tournaments", sent, "application/json", headers={"authorization": f"Bearer {token}"}
    )
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/starts_at"
    assert not cup.tournaments.exists()


def test_a_draft_of_an_archived_competition_gets_no_time(cup, olga):
    form = {"name": "Late", "format": "swiss", "rounds": "1", "seed": "1", "release": "public"}
    desk = browser_of(olga)
    by_page(cup, olga)
    tomorrow = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    refused = desk.post(
        reverse("tournament_new", args=[cup.slug]), form | {"field": "people", "starts_at": tomorrow}
    )
    assert refused.status_code == 422
    assert "archived" in str(refused.context["form"].errors)
