"""However slow an author's bots are, and however many: they keep one worker from trying those of others."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.states import State
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.use_cases import qualification
from tests.support.factories import played, submit
from tests.support.reasons import said

pytestmark = pytest.mark.production


@pytest.fixture
def bob(db):
    return User.objects.create_user("bob")


def start(owner, competition, count):
    """Queued qualification matches of that many new bots."""
    return [qualification.start(submit(owner, competition, state=State.BUILT)) for _ in range(count)]


def test_one_qualification_of_an_author_is_played_at_a_time(user, bob, competition):
    first, second = start(user, competition, 2)
    [bobs] = start(bob, competition, 1)

    playing = leases.claim("one")
    assert (playing, leases.claim("two"), leases.claim("three")) == (first, bobs, None)
    assert leases.finish(playing, played(playing))
    assert leases.claim("one", [Match.Queue.INTERACTIVE]) == second


def test_one_that_was_lost_is_played_again(user, competition):
    first, _ = start(user, competition, 2)
    assert leases.fail(leases.claim("one"), said("the engine is away"))
    assert (leases.claim("one"), leases.claim("two")) == (first, None)


def test_house_bots_are_tried_by_all_workers_at_once(user, competition):
    matches = start(user, competition, 3)
    Bot.objects.update(house=True)
    assert [leases.claim("one"), leases.claim("two"), leases.claim("three")] == matches
