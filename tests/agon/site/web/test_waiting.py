"""The page of a bot that has used up its worker time says so."""

import pytest
from django.test import Client

from agon.site.bots.models import Bot
from agon.site.bots.states import State
from agon.site.matches import usage
from tests.support.factories import submit

from .conftest import browser_of


def page(row, client=None):
    return (client or Client()).get(row.get_absolute_url()).content.decode()


@pytest.mark.parametrize(("seconds", "waits"), [(899, False), (900, True)])
def test_a_bots_page_says_how_much_it_used_when_it_has_to_wait(four, seconds, waits):
    usage.charge(four[0].bot_id, seconds)
    words = (
        "This bot is waiting: its matches and builds used 15 min of 15 min of worker time in the last hour."
    )
    assert (words in page(four[0].bot)) == waits
    assert "This bot is waiting" not in page(four[1].bot)


def test_all_bots_of_an_author_wait_together(four):
    for submission in four[:3]:
        usage.charge(submission.bot_id, 700)
    words = (
        "its author’s bots, with those of teams with the same captain, used 35 min of 30 min of worker time"
    )
    assert f"This bot is waiting: {words}" in page(four[3].bot)


def test_a_submission_that_waits_for_its_build_says_why(four, user, competition):
    usage.charge(four[0].bot_id, 2000)
    waiting = submit(user, competition, "Vera", State.RECEIVED)
    assert "This bot is waiting: its author’s bots" in page(waiting, browser_of(user))


def test_house_bots_never_wait(four):
    Bot.objects.update(house=True)
    usage.charge(four[0].bot_id, 5000)
    assert "This bot is waiting" not in page(four[0].bot)
