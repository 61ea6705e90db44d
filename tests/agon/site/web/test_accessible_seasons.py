"""axe-core finds nothing wrong in the pages of seasons and of tournaments to come, and they are narrow."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.seasons import services as seasons
from agon.site.seasons.services import Wanted
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from tests.support.accessibility import assert_accessible_and_narrow
from tests.support.factories import activate, duel

from .conftest import browser_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.exhaustive
def test_axe_finds_nothing_wrong_in_seasons_and_in_what_is_to_come(browser, user, bob, organizer):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = [activate(account, rps, [account.username])[0].bot for account in (user, bob)]
    cups = []
    for number in range(4):
        cup = services.create(organizer, rps, f"Cup {number} {'long ' * 15}", "round_robin", 1, 1, bots)
        services.start(cup, organizer)
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, ["ada", "bob"] if number else ["bob", "ada"]))
        scheduling.tick()
        cups.append(cup)
    starts = services.Start(timezone.now() + timedelta(hours=3), Tournament.Field.PEOPLE)
    soon = services.create(organizer, rps, "Soon", "single_elimination", 1, 1, [], starts=starts)
    going_on = services.create(organizer, rps, "Now", "swiss", 1, 1, bots)
    services.start(going_on, organizer)
    new_season = seasons.create(organizer, Wanted("Season", "table", [9, 3], 3, [*cups, soon]))
    path = new_season.get_absolute_url()
    desk = browser_of(organizer)
    words = {
        "/seasons/": "Season",
        path: "Not counted yet",
        "/seasons/new/": "Points by place",
        f"{path}edit/": "Only the best",
        soon.get_absolute_url(): "What it will be",
        going_on.get_absolute_url(): "What decides next",
    }
    pages = {address: desk.get(address).content for address in words}
    for address, text in words.items():
        assert text in pages[address].decode(), address
    assert_accessible_and_narrow(browser, pages)
