"""Owners learn that a challenge of their bot is over, and are not flooded with it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.challenges import progress, services
from agon.site.challenges.models import Challenge
from agon.site.competitions.models import Competition
from agon.site.events import choices
from agon.site.events.choices import Chosen
from agon.site.events.models import Event, Kind
from agon.site.matches import leases, queueing
from agon.site.teams import services as teams
from agon.site.teams.locking import lock_people
from agon.site.teams.models import Team
from agon.site.use_cases.teams import join
from tests.support.at_once import failure_in_between, failures_at_once
from tests.support.factories import activate, duel

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch) -> None:
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 0)


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def cyn(db) -> User:
    return User.objects.create_user("cyn")


@pytest.fixture
def team(bob, cyn) -> Team:
    """Of bob, and of cyn."""
    made = teams.create("Quokkas", bob)
    join(teams.renew_invitation(made, bob).invitation, cyn)
    return made


@pytest.fixture
def ada(user, rps) -> Bot:
    return activate(user, rps, ["Ada"])[0].bot


@pytest.fixture
def bea(bob, rps) -> Bot:
    return activate(bob, rps, ["Bea"])[0].bot


def notices(person: User) -> str:
    client = Client()
    client.force_login(person)
    return client.get("/notices/").content.decode()


def told(person: User) -> int:
    return Event.objects.filter(account=person, kind=Kind.CHALLENGE_OVER).count()


def play(matches: int = 99) -> None:
    for _ in range(matches):
        match = leases.claim("w")
        if match is None:
            return
        assert leases.finish(match, duel(match, []))
    progress.tick()


def challenge(by: Bot, *others: Bot, matches: int = 2) -> Challenge:
    return services.start(by.owner, by, others, matches)


def test_the_owner_of_a_challenged_bot_is_told_with_a_link(ada, bea, user, bob):
    begun = challenge(ada, bea)
    assert told(bob) == 0
    play()
    progress.tick()

    page = notices(bob)
    assert "A challenge of Bea by Ada is over." in page
    assert f'href="/challenges/{begun.pk}/"' in page
    assert told(user) == 0


def test_a_challenger_is_news_once_a_day(ada, bea, user, bob, rps):
    [ann] = activate(user, rps, ["Ann"])
    for by in (ada, ada, ann.bot):
        challenge(by, bea)
        play()
        progress.tick()
    assert told(bob) == 1

    Event.objects.update(at=timezone.now() - timedelta(days=1, seconds=1))
    challenge(ada, bea)
    play()
    progress.tick()
    assert told(bob) == 2


def test_another_challenger_and_another_bot_are_other_news(ada, bea, bob, cyn, rps):
    [third] = activate(cyn, rps, ["Cyn"])
    [ben] = activate(bob, rps, ["Ben"])
    for by, opponent in ((ada, bea), (third.bot, bea), (ada, ben.bot)):
        challenge(by, opponent)
        play()
        progress.tick()

    assert told(bob) == 3


def test_each_member_of_a_team_is_told_once_a_day(ada, rps, team, bob, cyn):
    [hop] = activate(team.account, rps, ["Hop"])
    for _ in range(2):
        challenge(ada, hop.bot)
        play()
        progress.tick()
    assert (told(bob), told(cyn)) == (1, 1)


def test_a_team_that_challenges_is_news_once_a_day(ada, rps, team, user, bob, cyn):
    [hop] = activate(team.account, rps, ["Hop"])
    for member in (bob, bob, cyn):
        services.start(member, hop.bot, [ada], 2)
        play()
        progress.tick()
    assert told(user) == 1


def test_ones_own_team_is_told_nothing(rps, team, bob, cyn):
    hop, jump = activate(team.account, rps, ["Hop", "Jump"])
    services.start(bob, hop.bot, [jump.bot], 2)
    play()
    progress.tick()
    assert (told(bob), told(cyn)) == (0, 0)


def test_one_that_was_cancelled_is_told_if_something_was_played(ada, bea, bob):
    progress.cancel(challenge(ada, bea))
    assert told(bob) == 0
    begun = challenge(ada, bea, matches=4)
    play(1)
    progress.cancel(begun)
    assert told(bob) == 1


def test_ones_own_bots_house_bots_and_closed_accounts_are_told_nothing(ada, bea, user, bob, rps):
    [own] = activate(user, rps, ["Ann"])
    [house] = activate(User.objects.create_user("house"), rps, ["House"])
    Bot.objects.filter(pk=house.bot_id).update(house=True)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    for opponent in (own.bot, house.bot, bea):
        challenge(ada, opponent)
        play()
        progress.tick()

    assert not Event.objects.filter(kind=Kind.CHALLENGE_OVER).exists()


def test_who_has_turned_it_off_sees_nothing_of_it(ada, bea, bob):
    choices.choose(bob, {Kind.CHALLENGE_OVER: Chosen(on_site=False, by_mail=False)}, "en")
    challenge(ada, bea)
    play()
    progress.tick()

    assert "A challenge of Bea" not in notices(bob)
    assert told(bob) == 1  # the feed of an account has everything


@pytest.mark.django_db(transaction=True)
def test_two_that_end_at_once_are_told_once(ada, bea, bob):
    both = [challenge(ada, bea, matches=2) for _ in range(2)]
    for pending in both:
        pending.matches.filter(index=0).update(state="finished")
    failures = failures_at_once([lambda pending=pending: progress.cancel(pending) for pending in both])

    assert failures == []
    assert told(bob) == 1


@pytest.mark.django_db(transaction=True)
def test_a_challenge_of_a_person_and_their_team_ends_while_the_team_uploads(competition, user, bob, team):
    """Who uploads locks the team's account, and then those of its members."""
    versions = [
        *activate(user, competition, ["Ada", "Ann"]),
        *activate(bob, competition, ["Bea"]),
        *activate(team.account, competition, ["Hop"]),
    ]
    first, *others = (version.bot for version in versions)
    begun = services.start(user, first, others, 4)
    begun.matches.filter(index=0).update(state="finished")
    failure = failure_in_between(
        lambda: lock_people({team.account_id}),
        lambda: progress.cancel(begun),
        lambda: lock_people({bob.pk}),
    )
    assert failure is None
    assert told(bob) == 2
