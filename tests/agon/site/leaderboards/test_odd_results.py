"""Organizers see which results the ratings do not explain; a bot that was stopped counts for nobody."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.core.texts.reasons import StoredReason
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import PairCount, Rating
from agon.site.use_cases import leaving_play
from tests.support.factories import activate

ADDRESS = "/c/samurai/odd-results/"


@pytest.fixture
def bots(competition):
    """Five honest bots that won and lost as often against each other, and one that lost to the first."""
    owners = [User.objects.create_user(f"owner{number}") for number in range(6)]
    names = ["favored", "b", "c", "d", "e", "loser"]
    made = [activate(owner, competition, [name])[0] for owner, name in zip(owners, names, strict=True)]
    ratings = [submission.rated.rating for submission in made]
    for place, first in enumerate(ratings):
        for second in ratings[place + 1 :]:
            thrown = (first, second) == (ratings[0], ratings[5])
            count(competition, first, second, *((40, 0) if thrown else (20, 20)))
    fitting.fit_now(competition.pk)
    return [submission.bot for submission in made]


def count(competition, first, second, won, lost):
    PairCount.objects.create(
        competition=competition, first=first, second=second, seats=2, first_ahead=won, tied=0,
        second_ahead=lost, spread=2 * (won + lost),
    )  # fmt: skip
    for rating in (first, second):
        Rating.objects.filter(pk=rating.pk).update(played=200)


@pytest.fixture
def organizer(db):
    user = User.objects.create_user("organizer")
    user.groups.add(Group.objects.get(name="Organizers"))
    client = Client()
    client.force_login(user)
    return client


def ratings_of(bots):
    ratings = Rating.objects.filter(rated__submission__bot__in=bots)
    return dict(ratings.values_list("rated__submission__bot__name", "rating"))


def test_an_organizer_sees_the_pair_its_owners_its_matches_and_what_was_expected(bots, organizer):
    page = organizer.get(ADDRESS).content.decode()
    pairs = page.split("uneven-title")[0]
    assert "favored" in pairs
    assert "owner5" in pairs
    assert f"kind=ladder&amp;state=finished&amp;bot={bots[0].pk}&amp;against={bots[5].pk}" in pairs
    assert "100 %" in pairs
    assert 'href="/c/samurai/odd-results/"' in organizer.get("/c/samurai/").content.decode()


def test_nobody_else_sees_them_or_a_link(bots):
    owner = Client()
    owner.force_login(bots[0].owner)
    assert owner.get(ADDRESS).status_code == 404
    assert Client().get(ADDRESS).status_code == 302
    for reader in (owner, Client()):
        assert "odd-results" not in reader.get("/c/samurai/").content.decode()


def test_without_matches_nothing_is_found(competition, organizer):
    assert organizer.get(ADDRESS).content.decode().count("Nothing was found.") == 2


def test_once_an_administrator_stopped_it_the_loser_counts_for_nobody(bots, competition, user):
    before = ratings_of(bots)
    assert before["favored"] > before["b"] + 5
    leaving_play.stop(bots[5], user, reasons.stopped("It loses on purpose."))
    fitting.fit_now(competition.pk)
    after = ratings_of(bots)
    assert after["favored"] == pytest.approx(after["b"], abs=0.1)

    leaving_play.release(bots[5], user)
    fitting.fit_now(competition.pk)
    assert ratings_of(bots) == before


def test_it_counts_for_nobody_even_if_it_is_deleted_before_or_after_the_stop(bots, competition, user):
    leaving_play.delete(bots[5], bots[5].owner)
    fitting.fit_now(competition.pk)
    assert ratings_of(bots)["favored"] > ratings_of(bots)["b"] + 5
    leaving_play.stop(bots[5], user, reasons.stopped("It lost on purpose."))
    fitting.fit_now(competition.pk)
    assert ratings_of(bots)["favored"] == pytest.approx(ratings_of(bots)["b"], abs=0.1)


def test_the_rule_for_void_matches_takes_no_result_back(bots, competition):
    """The owner of a bot could bring that about, to take back what it lost."""
    before = ratings_of(bots)
    bots[5].reason = StoredReason(reasons.VOIDS)
    bots[5].save()
    fitting.fit_now(competition.pk)
    assert ratings_of(bots) == before
