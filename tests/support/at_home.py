"""Fixtures for bots at home, and what their programs send."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots import services as bots
from agon.site.bots.models import Bot
from agon.site.challenges import services as challenges
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match
from tests.agon.site.api.conftest import Program
from tests.support.factories import activate

__all__ = ["bea", "bob", "hal", "homer", "program", "rps"]
HOME = [Match.Queue.HOME]


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def homer(user, rps) -> Bot:
    return bots.enter_at_home(user, rps, "Homer")


@pytest.fixture
def hal(bob, rps) -> Bot:
    """A house bot."""
    bot = activate(bob, rps, ["Hal"])[0].bot
    Bot.objects.filter(pk=bot.pk).update(house=True)
    return bot


@pytest.fixture
def bea(bob, rps) -> Bot:
    return activate(bob, rps, ["Bea"])[0].bot


@pytest.fixture
def program(user) -> Program:
    return Program(user)


def connect(program: Program, bot: Bot, no_clock: bool = False) -> int:
    answer = program.post(f"home-bots/{bot.pk}/line", {"no_clock": no_clock})
    assert answer.status_code == 200, answer.content
    return int(answer.json()["line"])


def put(program: Program, bot: Bot, **answer):
    return program._send("put", f"home-bots/{bot.pk}/answers", answer, {})


def playing(user, bot, opponent) -> Match:
    challenges.start(user, bot, [opponent], 2)
    match = leases.claim("w", HOME)
    assert match is not None
    return match


def seat_of(match: Match, bot: Bot) -> int:
    return int(match.seats.get(submission__bot=bot).number)
