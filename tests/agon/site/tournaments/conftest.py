"""Clears the cache before each test of tournaments; a tournament that was played."""

import pytest

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from tests.support.factories import active_bots
from tests.support.reruns import NAMES, play


@pytest.fixture
def boss(db: None) -> User:
    return User.objects.create_superuser("boss")


@pytest.fixture
def cup(boss: User, user: User) -> Tournament:
    """A round robin of three bots that was played and is over: a is before b and c."""
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, NAMES)
    cup = services.create(boss, rps, "Cup", "round_robin", 1, 1, bots)
    services.start(cup, boss)
    play(NAMES)
    scheduling.tick()
    cup.refresh_from_db()
    return cup


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
