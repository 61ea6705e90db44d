"""The race for points ends where the standings are, and is shown to those who see these."""

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import current_standings
from agon.site.web.tournaments.race import race
from tests.support.factories import activate, played

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup(user, competition) -> Tournament:
    cache.clear()
    bots = activate(user, competition, ["Rita", "Sue", "Tom", "Una"])
    cup = services.create(user, competition, "Cup", "rotations", 2, 3, [bot.bot for bot in bots])
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, played(match))
    scheduling.settle(cup.pk)
    cup.refresh_from_db()
    return cup


def test_every_line_ends_with_the_points_of_the_standings(cup):
    matches = cup.matches.count()
    lines = {name: line for name, line in race(cup)}
    for row in current_standings(cup):
        assert lines[row.bot][0] == (0, 0.0)
        assert lines[row.bot][-1] == (matches, float(row.points))
        assert sorted(lines[row.bot]) == lines[row.bot]


def test_the_race_is_on_the_page_with_its_data_and_hidden_with_the_results(cup):
    page = Client().get(f"/tournaments/{cup.pk}/matrix").content.decode()
    assert "The race for points" in page
    rows = Client().get(f"/tournaments/{cup.pk}/race.csv").content.decode().splitlines()
    assert rows[0] == "bot,matches,points"
    assert sum(row.startswith("Rita,") for row in rows) == len(race(cup)[0][1])
    Tournament.objects.filter(pk=cup.pk).update(release=Tournament.Release.ORGANIZERS)
    assert Client().get(f"/tournaments/{cup.pk}/race.csv").status_code == 404
