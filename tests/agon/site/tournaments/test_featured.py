"""The match that plays on the home page."""

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import featured, worth_watching
from agon.site.tournaments.featured import TURN
from tests.support.factories import activate, duel


@pytest.fixture
def rps(db) -> Competition:
    cache.clear()
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def house(rps):
    submissions = activate(house_user(), rps, ["Fibber", "Dice"])
    Bot.objects.update(house=True)
    return submissions


def play(rps, seats, winner: str, faulty=(), kind=Match.Kind.LADDER) -> int:
    """winner: "" for a draw."""
    queueing.queue(rps, kind, Match.Queue.INTERACTIVE, list(seats))
    match = leases.claim("w")
    strengths = sorted((seat.bot.name for seat in seats), key=lambda name: name != winner)
    assert leases.finish(match, duel(match, strengths if winner else [], faulty=faulty))
    return match.pk


def shown(now: float = 0.0) -> int | None:
    cache.clear()
    feature = featured._featured(now)
    return feature.match if feature else None


def test_without_a_match_nothing_plays(client: Client, rps):
    assert featured.featured() is None
    assert "data-viewer" not in client.get("/").content.decode()


@pytest.mark.production
def test_the_newest_one_that_was_won_without_a_fault_plays_on_the_home_page(client: Client, rps, house):
    play(rps, house, "Dice")
    newest = play(rps, house, "Fibber")
    play(rps, house, "")
    play(rps, house, "Dice", faulty=["Fibber"])
    assert shown() == newest
    page = client.get("/").content.decode()
    assert f'data-log="/matches/{newest}/log.json"' in page
    assert "Fibber – Dice" in page


def test_one_of_somebodys_own_bot_comes_before_one_of_house_bots_alone(rps, house, user):
    own = activate(user, rps, ["Ada"])
    with_ada = play(rps, [own[0], house[0]], "Ada")
    play(rps, house, "Dice")
    assert shown() == with_ada


def test_it_is_the_turn_of_each_open_competition(rps, house, user):
    second = Competition.objects.create(slug="second", game="honest_rps", title="Second")
    first, elsewhere = play(rps, house, "Dice"), play(second, activate(user, second, ["Ada", "Bea"]), "Ada")
    assert [shown(turn * TURN) for turn in range(3)] == [first, elsewhere, first]
    Competition.objects.filter(pk=second.pk).update(state=Competition.State.CLOSED)
    assert [shown(turn * TURN) for turn in range(2)] == [first, first]


def test_one_that_is_not_rated_or_too_long_does_not_play(rps, house):
    match = play(rps, house, "Dice")
    Match.objects.filter(pk=match).update(kind=Match.Kind.COMPARISON)
    assert shown() is None
    Match.objects.filter(pk=match).update(kind=Match.Kind.LADDER, steps=worth_watching.STEPS[1] + 1)
    assert shown() is None
