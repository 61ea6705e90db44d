"""No rating is made by the author's own bots: on the ladder they meet only where there are no others."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.leaderboards import ladder
from agon.site.matches.models import Seat
from tests.support.factories import activate

pytestmark = pytest.mark.production


@pytest.fixture
def bob(db):
    return User.objects.create_user("bob")


def tables(competition):
    """The owners at each table of many seatings, by name."""
    owners = []
    for _ in range(12):
        ladder.top_up(competition)
        for match in competition.matches.all():
            seats = Seat.objects.filter(match=match).select_related("submission__bot__owner")
            owners.append(sorted(seat.submission.bot.owner.username for seat in seats))
        competition.matches.all().delete()
    return owners


def test_bots_of_one_author_do_not_meet_where_others_are(user, bob, coup):
    activate(user, coup, [f"ada's {number}" for number in range(6)])
    activate(bob, coup, ["bob's"])
    assert {tuple(table) for table in tables(coup)} == {("ada", "bob")}


@pytest.mark.exhaustive
def test_where_seats_are_left_they_meet_at_a_table_with_all_the_others(user, bob, competition):
    activate(user, competition, [f"ada's {number}" for number in range(6)])
    activate(bob, competition, ["bob's"])
    assert {tuple(table) for table in tables(competition)} == {("ada", "ada", "ada", "bob")}


def test_who_is_alone_plays_against_himself(user, competition):
    activate(user, competition, [f"ada's {number}" for number in range(4)])
    assert {tuple(table) for table in tables(competition)} == {("ada",) * 4}


@pytest.mark.exhaustive
def test_house_bots_are_nobodys_friends(user, bob, competition):
    activate(bob, competition, [f"house {number}" for number in range(5)])
    Bot.objects.update(house=True)
    activate(user, competition, ["ada's 1", "ada's 2"])
    assert {tuple(table) for table in tables(competition)} == {("ada", "bob", "bob", "bob"), ("bob",) * 4}
