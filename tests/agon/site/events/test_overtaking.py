"""Owners learn that a bot of someone else has overtaken theirs, and not of every move of a rating."""

from datetime import timedelta

import pytest
from django.db.models import F

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.events import overtaking
from agon.site.events.models import Event, Kind, Order
from agon.site.leaderboards.models import Leaderboard, Rating
from tests.support.factories import activate, versions

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def board(user, competition) -> dict[str, Submission]:
    """Rita is ada's; Sue and Tom are bob's. All are ranked, and the order has been looked at."""
    bob = User.objects.create_user("bob")
    submissions = activate(user, competition, ["Rita"]) + activate(bob, competition, ["Sue", "Tom"])
    named = {overtaken.bot.name: overtaken for overtaken in submissions}
    Rating.objects.update(played=100, best=1, worst=3)
    rate(named, Rita=1600, Sue=1500, Tom=1400)
    an_hour_later()
    return named


def rate(board: dict[str, Submission], **points: float) -> None:
    for name, value in points.items():
        Rating.objects.filter(rated__submission=board[name]).update(rating=value)
    Leaderboard.objects.update(version=F("version") + 1)


def an_hour_later() -> None:
    Order.objects.update(at=F("at") - timedelta(hours=1, seconds=1))
    overtaking.tick()


def told() -> list[tuple[str, str, str]]:
    """Who was told which bot was overtaken by which."""
    names = dict(Bot.objects.values_list("pk", "name"))
    events = Event.objects.filter(kind=Kind.BOT_OVERTAKEN).order_by("pk")
    return [(event.account.username, names[event.data["bot"]], names[event.data["by"]]) for event in events]


def test_a_bot_that_lost_its_place_is_told_to_its_owner(board):
    rate(board, Sue=1650)
    an_hour_later()

    assert told() == [("ada", "Rita", "Sue")]
    an_hour_later()
    assert len(told()) == 1


def test_what_goes_back_within_the_hour_is_not_told(board):
    rate(board, Sue=1650)
    overtaking.tick()
    rate(board, Sue=1500)
    an_hour_later()

    assert told() == []


def test_a_tiny_change_is_not_told_until_it_adds_up(board):
    rate(board, Sue=1598)
    an_hour_later()
    rate(board, Sue=1602)
    an_hour_later()
    assert told() == []
    rate(board, Sue=1604)
    an_hour_later()
    assert told() == [("ada", "Rita", "Sue")]


def test_several_that_pass_in_one_hour_are_one_notice_that_names_the_nearest(board):
    rate(board, Sue=1700, Tom=1650)
    an_hour_later()

    assert told() == [("ada", "Rita", "Tom")]


def test_bots_of_one_owner_do_not_overtake_each_other(board):
    rate(board, Tom=1550)
    an_hour_later()

    assert told() == []


def test_a_newcomer_that_is_ranked_above_has_overtaken(board, competition):
    activate(User.objects.create_user("eve"), competition, ["Una"])
    Rating.objects.filter(played=0).update(played=100, best=1, worst=4, rating=1550)
    an_hour_later()

    assert told() == [("bob", "Sue", "Una"), ("bob", "Tom", "Una")]


def test_a_new_version_that_is_worse_was_not_overtaken(board, user, competition):
    [newer] = versions(user, competition, ["Rita"])
    Rating.objects.filter(rated__submission=newer).update(played=100, best=3, worst=3, rating=1300)
    an_hour_later()

    assert told() == []


def test_an_unranked_bot_overtakes_none(board):
    rate(board, Sue=1700)
    Rating.objects.filter(rated__submission=board["Sue"]).update(best=0, played=3)
    an_hour_later()

    assert told() == []
