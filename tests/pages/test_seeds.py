"""Who knows a tournament's seed knows its cards and dice: nobody does who can still upload a bot for it."""

import pytest
from django.test import Client

from accounts.models import User
from tournaments import services

from .conftest import browser_of

NEW = "/c/samurai/tournaments/new/"


@pytest.fixture
def cup(four, competition, organiser):
    bots = [each.bot for each in four]
    return services.create(organiser, competition, "Spring cup", "rotations", 1, 20261121, bots)


def test_a_draft_is_there_for_those_alone_who_may_start_it(cup, organiser, signed_in, competition):
    address, places = cup.get_absolute_url(), ["/c/samurai/tournaments/", "/c/samurai/matches/"]
    for reader in (Client(), signed_in, browser_of(User.objects.create_user("carol"))):
        assert reader.get(address).status_code == 404
        assert reader.get(f"{address}?part=progress").status_code == 404
        assert not any("Spring cup" in reader.get(place).content.decode() for place in places)
    assert "seed 20261121" in browser_of(organiser).get(address).content.decode()
    assert "Spring cup" in browser_of(organiser).get(places[0]).content.decode()

    services.start(cup)  # now the submissions are frozen
    assert "seed 20261121" in Client().get(address).content.decode()
    assert all("Spring cup" in Client().get(place).content.decode() for place in places)


def test_an_organiser_without_further_rights_sees_his_own_drafts(cup, four, competition, user):
    own = services.create(user, competition, "Ada's cup", "rotations", 1, 7, [each.bot for each in four])
    page = browser_of(user).get("/c/samurai/tournaments/").content.decode()
    assert "Ada&#x27;s cup" in page
    assert "Spring cup" not in page
    assert browser_of(user).get(own.get_absolute_url()).status_code == 200
    assert browser_of(user).get(cup.get_absolute_url()).status_code == 404


def test_a_cancelled_draft_stays_what_it_was(cup, organiser, signed_in):
    services.cancel(cup)
    assert signed_in.get(cup.get_absolute_url()).status_code == 404
    assert browser_of(organiser).get(cup.get_absolute_url()).status_code == 200


def test_the_seed_that_the_form_proposes_is_drawn(organiser, four):
    desk = browser_of(organiser)
    proposed = {desk.get(NEW).context["form"]["seed"].value() for _ in range(3)}
    assert len(proposed) == 3
    assert all(0 <= seed < 1 << 31 for seed in proposed)
