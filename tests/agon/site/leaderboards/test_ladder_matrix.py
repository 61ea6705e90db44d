"""The head-to-head matrix of a ladder: what it counts, what its cells open, and many bots."""

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agon.site.challenges import services as challenges
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import PairCount, Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.use_cases import leaving_play, qualification
from tests.support.factories import activate, duel, submit

pytestmark = pytest.mark.django_db
ADDRESS = "/c/rps/head-to-head/"


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def three(user, rps):
    return activate(user, rps, ["Ada", "Bea", "<b>Cid</b>"])


def rated(seats, strengths) -> None:
    Match.objects.filter(state=Match.State.QUEUED).delete()
    queueing.queue(seats[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, strengths))


def page(client, address=ADDRESS) -> str:
    cache.clear()
    return client.get(address).content.decode()


def cells(text: str) -> list[tuple[str, str]]:
    """(address, number) of each cell with results, row by row."""
    links = re.findall(r'<a href="([^"]+)" title="[^"]*">(\d+)</a>', text)
    return [(address.replace("&amp;", "&"), number) for address, number in links]


def test_each_number_opens_the_matches_that_it_is_of(client, three):
    ada, bea, cid = three
    for strengths in (["Ada"], ["Ada"], [], ["Bea"]):
        rated([ada, bea], strengths)
    rated([bea, cid], ["Bea"])
    shares = {}
    for address, number in cells(page(client)):
        listed = client.get(address).content.decode()
        shares[number] = listed.count('id="match-link-')
    assert shares == {"62": 4, "38": 4, "100": 1, "0": 1}


def test_only_rated_matches_count(client, user, three):
    ada, bea, _cid = three
    rated([ada, bea], ["Ada"])
    challenges.start(user, ada.bot, [bea.bot], 2)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, ["Bea"]))
    shown = cells(page(client))
    assert sorted(number for _address, number in shown) == ["0", "100"]
    assert all("kind=ladder" in address for address, _number in shown)


def test_all_versions_of_a_bot_count(client, user, rps, three):
    ada, bea, _cid = three
    rated([ada, bea], ["Ada"])
    newer = submit(user, rps, "Ada")
    qualification.activate(newer)
    rated([newer, bea], ["Bea"])
    assert [number for _address, number in cells(page(client))] == ["50", "50"]


def test_bots_that_left_play_are_not_in_it(client, user, three):
    ada, bea, _cid = three
    rated([ada, bea], ["Ada"])
    leaving_play.withdraw(bea.bot, user)
    assert cells(page(client)) == []


def test_names_are_escaped(client, three):
    rated(three[:2], ["Ada"])
    rated(three[1:], ["Bea"])
    text = page(client)
    assert "<b>Cid" not in text
    assert "&lt;b&gt;Cid" in text


def test_a_ladder_without_results_says_so(client, three):
    assert "No rated match has been played yet." in page(client)


@pytest.mark.parametrize("wanted", ["", "0", "-1", "x", "9" * 30, "2"])
def test_odd_pages_show_the_nearest_one(client, three, wanted):
    assert client.get(ADDRESS, {"page": wanted}).status_code == 200


@pytest.mark.exhaustive
def test_two_hundred_bots_take_as_many_queries_as_three(client, user, rps, three):
    rated(three[:2], ["Ada"])
    with CaptureQueriesContext(connection) as few:
        page(client)
    made = activate(user, rps, [f"bot {number}" for number in range(200)])
    ratings = [submission.rated.rating_id for submission in made]
    Rating.objects.filter(pk__in=ratings).update(played=199)
    PairCount.objects.bulk_create(
        PairCount(
            competition=rps,
            first_id=first,
            second_id=second,
            seats=2,
            first_ahead=1,
            tied=0,
            second_ahead=0,
            spread=2,
        )
        for place, first in enumerate(ratings)
        for second in ratings[place + 1 :]
    )
    with CaptureQueriesContext(connection) as many:
        text = page(client)
    assert len(many) == len(few)
    assert len(cells(text)) > 49 * 190
    assert len(text) < 2_000_000
    assert "page 1 of 5" in text
