"""The podium of a finished tournament: who stands on it, what it says of the winner, who sees it."""

from fractions import Fraction

import pytest
from django.core.cache import cache
from django.test import Client

from agon.contest.standings import StandingsRow
from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import running, scheduling, services
from agon.site.tournaments.cached import cache_key
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.podium import podium
from agon.site.tournaments.states import State
from agon.site.web.tournaments import matrix
from tests.support.factories import active_bots, duel

NAMES = ["Ada", "Bea", "Cleo", "Dora"]


def steps(*ranks: int, disqualified: str = ""):
    """The podium of bots a, b, c... with these ranks, as (rank, names, others)."""
    rows = [
        StandingsRow(number, name, rank, Fraction(9 - rank), 3, 0, 0, 0, "faults" * (name in disqualified))
        for number, (rank, name) in enumerate(zip(ranks, "abcdefgh", strict=False))
    ]
    podium_steps = podium([(row, None) for row in rows])
    return [(step.rank, "".join(row.bot for row, _ in step.placed), step.others) for step in podium_steps]


def test_the_first_three_stand_on_it():
    assert steps(1, 2, 3, 4) == [(1, "a", 0), (2, "b", 0), (3, "c", 0)]


def test_equal_bots_share_a_place_and_the_next_one_stays_empty():
    assert steps(1, 1, 3, 4) == [(1, "ab", 0), (3, "c", 0)]
    assert steps(1, 2, 2, 4) == [(1, "a", 0), (2, "bc", 0)]


def test_of_many_in_one_place_some_are_shown_and_the_rest_is_counted():
    assert steps(1, 2, 3, 3, 3, 3, 3) == [(1, "a", 0), (2, "b", 0), (3, "cde", 2)]


def test_the_disqualified_do_not_stand_on_it():
    assert steps(1, 2, 3, disqualified="c") == [(1, "a", 0), (2, "b", 0)]


def test_where_all_are_equal_or_alone_there_is_none():
    assert steps(1, 1, 1) == []
    assert steps(1) == []
    assert steps(1, 2, disqualified="b") == []
    assert steps() == []


@pytest.fixture
def organizer(db) -> User:
    return User.objects.create_superuser("orga")


@pytest.fixture
def cup(user, organizer) -> Tournament:
    """Running."""
    cache.clear()
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    bots = active_bots(user, rps, NAMES)
    tournament = services.create(organizer, rps, "Cup", "round_robin", 1, 1, bots, {})
    services.start(tournament, organizer)
    return tournament


def finish(cup: Tournament) -> None:
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES))
    scheduling.tick()
    cup.refresh_from_db()
    assert cup.state == State.FINISHED


def test_it_is_on_the_page_once_the_tournament_is_over(client: Client, cup):
    assert "podium-title" not in client.get(cup.get_absolute_url()).content.decode()
    finish(cup)
    page = client.get(cup.get_absolute_url()).content.decode()
    places = [page.index(f'id="podium-{entrant.bot_id}"') for entrant in cup.entrants.all()[:3]]
    assert places == sorted(places)
    assert f'id="podium-{cup.entrants.last().bot_id}"' not in page


def test_it_says_whether_the_winner_is_separated_from_the_second(client: Client, cup):
    finish(cup)
    page = client.get(cup.get_absolute_url()).content.decode()
    address = f"/tournaments/{cup.pk}/matrix?part=certainty"
    assert f'hx-get="{address}"' in page
    words = client.get(address).content.decode()
    assert "do not separate Ada from Bea" in words
    assert "<h1" not in words


def test_it_is_computed_by_one_request_at_a_time_and_not_for_very_many_matches(client: Client, cup):
    finish(cup)
    address = f"/tournaments/{cup.pk}/matrix?part=certainty"
    asked = f"{cache_key(cup, 'matrix')}-asked"
    cache.add(asked, True)  # another request computes
    assert client.get(address).status_code == 204
    cache.delete(asked)
    Tournament.objects.filter(pk=cup.pk).update(total=matrix.MOST_AT_ONCE + 1)
    assert client.get(address).status_code == 204
    assert client.get(f"/tournaments/{cup.pk}/matrix").status_code == 200  # which computes it
    assert client.get(address).status_code == 200


def test_before_the_release_it_is_for_those_who_may_see_the_results(client: Client, cup, organizer):
    running.release(cup, Tournament.Release.ORGANIZERS, organizer)
    finish(cup)
    running.reveal(cup, organizer)
    running.reveal(cup, organizer)
    desk = Client()
    desk.force_login(organizer)
    assert "podium-title" not in client.get(cup.get_absolute_url()).content.decode()
    assert client.get(f"/tournaments/{cup.pk}/matrix?part=certainty").status_code == 404
    assert "podium-title" in desk.get(cup.get_absolute_url()).content.decode()
    running.reveal(cup, organizer)
    running.reveal(cup, organizer)
    assert "podium-title" not in client.get(cup.get_absolute_url()).content.decode()
    running.release(cup, Tournament.Release.PUBLIC, organizer)
    assert "podium-title" in client.get(cup.get_absolute_url()).content.decode()
