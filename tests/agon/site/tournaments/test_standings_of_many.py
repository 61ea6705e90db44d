"""Standings, which are public, cost little, however many matches there were and for every reader."""

import pytest
from django.core.cache import cache

from agon.site.core import cached as shared
from agon.site.matches import leases
from agon.site.tournaments import cached, services, standings
from agon.site.tournaments.models import Tournament
from tests.support.factories import active_bots, played

pytestmark = pytest.mark.production


@pytest.fixture
def cup(user, competition):
    bots = active_bots(user, competition, ["Una", "Sue", "Tom", "Ute", "Ida"])
    cup = services.create(user, competition, "Cup", "rotations", 1, 1, bots)
    services.start(cup)
    return cup


@pytest.fixture
def counted(monkeypatch):
    """How often standings are added up."""
    calls = []
    added_up = standings.current_standings
    monkeypatch.setattr(standings, "current_standings", lambda cup: calls.append(cup.state) or added_up(cup))
    return calls


def play(count):
    for _ in range(count):
        match = leases.claim("w")
        assert leases.finish(match, played(match))


def total(rows):
    return sum(row.played for row in rows)


def test_they_take_as_many_queries_for_twenty_matches_as_for_four(cup, django_assert_max_num_queries):
    for count in (4, 16):
        play(count)
        cup = Tournament.objects.select_related("competition").get()
        with django_assert_max_num_queries(13):
            rows = standings.current_standings(cup)
    assert total(rows) == 4 * 20


def test_a_table_that_is_fresh_is_not_added_up_again(cup, counted, monkeypatch):
    play(4)
    assert total(standings.recent_standings(cup)) == 16
    play(4)
    assert total(standings.recent_standings(cup)) == 16
    monkeypatch.setattr(shared.time, "time", lambda now=shared.time.time: now() + 60)
    assert total(standings.recent_standings(cup)) == 32
    assert len(counted) == 2


def test_while_one_adds_up_the_others_show_the_table_before(cup, counted):
    play(4)
    standings.recent_standings(cup)
    key = cached.cache_key(cup, "standings")
    rows, *_ = cache.get(key)
    cache.set(key, (rows, 0.0, 0.0))  # no longer fresh
    cache.set(f"{key}-computing", True)
    play(4)
    assert total(standings.recent_standings(cup)) == 16
    cache.delete(f"{key}-computing")
    assert total(standings.recent_standings(cup)) == 32


def test_the_first_reader_gets_one_even_while_another_adds_up(cup):
    play(4)
    cache.set(f"{cached.cache_key(cup, 'standings')}-computing", True)
    assert total(standings.recent_standings(cup)) == 16


def test_what_is_over_is_added_up_once(cup, counted, monkeypatch):
    play(4)
    services.cancel(cup)
    standings.recent_standings(cup)
    monkeypatch.setattr(shared.time, "time", lambda now=shared.time.time: now() + 3600)
    assert total(standings.recent_standings(cup)) == 16
    assert counted == ["cancelled"]
