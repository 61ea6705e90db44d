"""The line of character of a house bot: on its page, and as a tooltip on the leaderboard."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.html import escape

from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from games.core.manifest import all_games, load
from tests.support.factories import activate


@pytest.fixture
def bots(user, coup) -> tuple[Bot, Bot]:
    """The house bot Miser of Coup, and ada's bot of the same name in a competition of her own."""
    cache.clear()
    [house] = activate(house_user(), coup, ["Miser"])
    Bot.objects.update(house=True)
    elsewhere = Competition.objects.create(slug="coup-2", game="coup", title="Coup 2")
    [own] = activate(user, elsewhere, ["Miser"])
    return house.bot, own.bot


def motto() -> str:
    return next(bot.motto for bot in load("coup").house if bot.name == "Miser")


def test_every_house_bot_of_the_project_has_one_of_its_own():
    mottos = [bot.motto for info in all_games() for bot in info.house]
    assert all(mottos)
    assert len(set(mottos)) == len(mottos)


def test_its_page_shows_it_and_the_leaderboard_as_a_tooltip(client: Client, bots):
    house, _own = bots
    assert escape(motto()) in client.get(house.get_absolute_url()).content.decode()
    assert f'title="{escape(motto())}"' in client.get("/c/coup/").content.decode()


def test_a_bot_of_somebody_with_the_same_name_has_none(client: Client, bots):
    _house, own = bots
    for address in (own.get_absolute_url(), "/c/coup-2/"):
        assert escape(motto()) not in client.get(address).content.decode()


def test_pages_of_a_broken_game_have_none(client: Client, bots):
    Competition.objects.filter(slug="coup").update(game="gone")
    cache.clear()
    board = client.get("/c/coup/")
    assert (board.status_code, escape(motto()) in board.content.decode()) == (200, False)
