"""In lists of matches the results of the reader's own bots are marked, and can be filtered by."""

import re

import pytest
from django.core.cache import cache
from django.test import Client

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import activate, duel

from .conftest import browser_of

LIST = "/c/rps/matches/"


@pytest.fixture
def rps(db):
    cache.clear()
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def results(user, rps) -> dict[str, Match]:
    """ada's bot Ada won, drew and lost against bob's Bob."""
    [ada] = activate(user, rps, ["Ada"])
    [bob] = activate(User.objects.create_user("bob"), rps, ["Bob"])
    rps.matches.all().delete()
    by_result = {}
    for result, order in (("won", ["Ada", "Bob"]), ("drawn", []), ("lost", ["Bob", "Ada"])):
        queueing.queue(rps, Match.Kind.LADDER, Match.Queue.INTERACTIVE, [ada, bob])
        match = leases.claim("w")
        assert leases.finish(match, duel(match, order))
        by_result[result] = match
    return by_result


def marks(client: Client, query: str = "") -> dict[int, list[str]]:
    """The marks of each listed match."""
    page = client.get(LIST + query).content.decode()
    assert "<!--" not in page.partition("<table")[2]
    rows = re.findall(r'<tr id="match-(\d+)">(.*?)</tr>', page, re.DOTALL)
    return {
        int(number): re.findall(r'<span class="badge \w+">(won|drawn|lost)</span>', row)
        for number, row in rows
    }


def test_each_reader_sees_the_marks_of_their_own_bots(client, user, results):
    assert marks(browser_of(user)) == {match.pk: [result] for result, match in results.items()}
    other_way = {"won": "lost", "drawn": "drawn", "lost": "won"}
    bob = browser_of(User.objects.get(username="bob"))
    assert marks(bob) == {match.pk: [other_way[result]] for result, match in results.items()}
    assert marks(client) == {match.pk: [] for match in results.values()}
    assert marks(browser_of(user), "?part=rows") == marks(browser_of(user))


@pytest.mark.parametrize("result", ["won", "drawn", "lost"])
def test_they_can_be_filtered(client, user, results, result):
    ada = browser_of(user)
    only = {results[result].pk: [result]}
    assert marks(ada, f"?result={result}") == only
    assert marks(ada, f"?result={result}&bot={user.bots.get().pk}") == only
    assert len(marks(client, f"?result={result}")) == 3  # whose, if no bot is chosen?
