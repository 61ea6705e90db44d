"""An author's bots, however many and however slow, take no more than their share of the workers' time."""

import dataclasses
import heapq
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import connection

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.leaderboards import ladder
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing, usage
from agon.site.matches.models import Match, WorkerTime
from agon.site.tournaments import services as tournaments
from agon.site.use_cases import qualification
from agon.site.workers import building
from sandbox.building.build import Built
from tests.support.factories import activate, played, submit
from tests.support.reasons import said

pytestmark = pytest.mark.slow

HOUR = 3600.0
SLOW = 150.0  # seconds of a match that one of these bots takes


class Clock:
    """The database's clock, which stands still until it is moved."""

    def __init__(self, monkeypatch):
        self.time = datetime(2026, 11, 22, 12, tzinfo=UTC)
        for module in (usage, leases):
            monkeypatch.setattr(module, "now", lambda: self.time)

    def move(self, seconds):
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


class Site:
    """Workers that play what they claim: a bot of `slow` takes its seconds, a table of others QUICK."""

    QUICK = 2.0
    IDLE = 60.0  # seconds until workers that have nothing to play ask again

    def __init__(self, clock, competition, slow, workers=2):
        self.clock, self.competition, self.slow, self.workers = clock, competition, slow, workers
        self.playing = []
        self.taken = defaultdict(float)  # seconds by author
        self.matches = defaultdict(int)  # by author

    def run(self, seconds, until=lambda: False):
        end = self.clock.time + timedelta(seconds=seconds)
        while self.clock.time < end and not until():
            ladder.tick()
            while len(self.playing) < self.workers and (match := leases.claim("w")):
                result = self.result(match)
                over = self.clock.time + timedelta(seconds=result.seconds)
                heapq.heappush(self.playing, (over, match.pk, match, result))
            if self.playing and self.playing[0][0] <= self.clock.time + timedelta(seconds=self.IDLE):
                self.clock.time, _, match, result = heapq.heappop(self.playing)
                assert leases.finish(match, result)
            else:
                self.clock.move(self.IDLE)

    def result(self, match):
        seats = match.seats.select_related("submission__bot__owner").order_by("number")
        bots = [seat.submission.bot for seat in seats]
        seconds = [self.slow.get(bot.pk, self.QUICK / len(bots)) for bot in bots]
        for bot, part in zip(bots, seconds, strict=True):
            self.taken[bot.owner.username] += part
        for author in {bot.owner.username for bot in bots}:
            self.matches[author] += 1
        return dataclasses.replace(played(match), seconds=sum(seconds), used=tuple(seconds))


def others(count):
    return [User.objects.create_user(f"author {number}") for number in range(count)]


def rated(submissions):
    """How many rated matches the one of them has played that has played least."""
    return min(Rating.objects.filter(rated__submission__in=submissions).values_list("played", flat=True))


@pytest.mark.exhaustive
def test_nine_authors_get_their_share_beside_one_with_twenty_slow_bots(user, competition, clock, monkeypatch):
    monkeypatch.setattr(settings, "AGON_LADDER_MATCHES", 30)
    slow = activate(user, competition, [f"slow {number}" for number in range(20)])
    quick = [activate(author, competition, [author.username])[0] for author in others(9)]
    site = Site(clock, competition, {submission.bot_id: SLOW for submission in slow})
    began = clock.time

    site.run(HOUR, until=lambda: rated(quick) >= 20)

    took = (clock.time - began).total_seconds()
    alone = sum(taken for author, taken in site.taken.items() if author != "ada") / site.workers
    assert rated(quick) >= 20
    assert (
        took < alone + 5 * SLOW
    )  # a match that has begun is not interrupted, and the first ones are not foreseen

    site.run(HOUR)
    hours = (clock.time - began).total_seconds() / HOUR
    assert site.taken["ada"] <= (hours + 1) * 1800 + site.workers * SLOW
    assert site.taken["ada"] > hours * 900  # the machine is idle: what is allowed is used
    assert {rating.played for rating in Rating.objects.filter(rated__submission__in=slow)} != {0}


@pytest.mark.exhaustive
def test_a_lone_slow_bot_plays_as_much_as_it_may_in_every_hour(user, competition, clock):
    [slow] = activate(user, competition, ["slow"])
    house = activate(User.objects.create_user("house"), competition, [f"house {n}" for n in range(4)])
    Bot.objects.filter(owner__username="house").update(house=True)
    Rating.objects.filter(rated__submission__in=house).update(played=settings.AGON_LADDER_MATCHES)
    site = Site(clock, competition, {slow.bot_id: SLOW})

    for _ in range(3):
        before = site.taken["ada"]
        site.run(HOUR)
        assert 900 - SLOW <= site.taken["ada"] - before <= 900 + site.workers * SLOW
    assert not WorkerTime.objects.filter(bot__house=True).exists()


def test_a_newcomer_does_not_wait_behind_what_a_slow_author_has_queued(user, coup, competition, clock):
    slow = activate(user, competition, [f"slow {number}" for number in range(8)])
    site = Site(clock, competition, {submission.bot_id: SLOW for submission in slow})
    site.run(600)
    newcomer, *more = [submit(author, competition, author.username) for author in others(4)]
    for submission in (newcomer, *more):
        qualification.activate(submission)
    began = clock.time

    site.run(HOUR, until=lambda: rated([newcomer]) >= 5)

    table = 4 * SLOW  # what is being played when the newcomers come is four slow bots among themselves
    assert (clock.time - began).total_seconds() < table + SLOW


def test_house_bots_that_play_among_themselves_do_not_keep_an_author_waiting(user, competition, clock):
    [own] = activate(user, competition, ["own"])
    house = User.objects.create_user("house")
    activate(house, competition, [f"house {n}" for n in range(12)])
    for number in range(3):
        elsewhere = Competition.objects.create(slug=f"c{number}", game="samurai", title=f"C {number}")
        activate(house, elsewhere, [f"house {n}" for n in range(12)])
    Bot.objects.filter(owner=house).update(house=True)
    site = Site(clock, competition, {own.bot_id: 10.0})
    charge(own, 130.0)  # two whole minutes: more than a match takes that is being played

    site.run(60)

    assert site.taken["ada"] > 0.25 * 60


def test_each_author_is_charged_what_its_own_bot_took(four_authors, competition, clock):
    match = queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four_authors)
    claimed = leases.claim("w")
    leases.finish(claimed, dataclasses.replace(played(match), used=(0.5, 1700.0, 0.25, 0.0)))

    current_usage = usage.current_usage()
    by_name = {
        four_author.bot.owner.username: current_usage.authors[four_author.bot.owner_id]
        for four_author in four_authors
    }
    assert by_name == {"author 0": 0.5, "author 1": 1700.0, "author 2": 0.25, "author 3": 0.0}
    assert current_usage.bots_waiting == [four_authors[1].bot_id]
    assert current_usage.authors_waiting == []


@pytest.fixture
def four_authors(competition):
    return [activate(author, competition, [author.username])[0] for author in others(4)]


def charge(submission, seconds):
    usage.charge(submission.bot_id, seconds)


def queued(competition, submissions, kind=Match.Kind.LADDER, where=Match.Queue.BULK, **more):
    return queueing.queue(competition, kind, where, submissions, **more)


def test_a_match_waits_while_an_author_has_used_up_the_hour_and_is_played_when_it_has_passed(
    four_authors, competition, clock
):
    match = queued(competition, four_authors)
    charge(four_authors[2], 899)
    claimed = leases.claim("w")
    assert claimed == match
    assert leases.fail(claimed, said("the engine is away"), (0, 0, 1, 0))

    assert leases.claim("w") is None
    clock.move(54 * 60)
    assert leases.claim("w") is None
    clock.move(6 * 60)
    assert leases.claim("w") == match


def test_a_waiting_match_keeps_no_other_match_from_being_queued_or_played(
    user, four_authors, competition, clock
):
    extra = activate(user, competition, ["extra"])
    for _ in range(ladder.AHEAD):
        queued(competition, four_authors)
    charge(four_authors[0], 5000)
    assert leases.claim("w") is None

    assert ladder.top_up(competition) == ladder.AHEAD
    seats = leases.claim("w").seats.values_list("submission", flat=True)
    assert set(seats) == {submission.pk for submission in (*four_authors[1:], *extra)}


def test_tournaments_are_charged_to_nobody_and_wait_for_nobody(four_authors, competition, clock, user):
    bots = [four_author.bot for four_author in four_authors]
    cup = tournaments.create(user, competition, "Cup", "rotations", 1, 1, bots)
    tournaments.start(cup)
    charge(four_authors[0], 5000)
    before = usage.current_usage()

    match = leases.claim("w")
    leases.finish(match, dataclasses.replace(played(match), used=(9.0,) * 4))

    assert match.tournament == cup
    assert usage.current_usage() == before


def test_neither_a_tournament_nor_the_ladder_starves_the_other(four_authors, competition, clock, user):
    heavy = queued(competition, four_authors)
    tournaments.start(
        tournaments.create(
            user, competition, "Cup", "rotations", 1, 1, [four_author.bot for four_author in four_authors]
        )
    )
    late = queued(competition, four_authors[:2] * 2)
    charge(four_authors[3], 300)
    order = [leases.claim("w") for _ in range(6)]
    assert [match.tournament is not None for match in order] == [True] * 4 + [False] * 2
    assert order[4:] == [late, heavy]


def test_a_qualification_waits_for_its_own_author_alone(four_authors, competition, clock, user, coup):
    charge(four_authors[1], 5000)
    tried = submit(four_authors[0].bot.owner, competition, state=State.BUILT)
    assert leases.claim("w") is None
    queued(
        competition,
        [tried, *four_authors[1:]],
        Match.Kind.QUALIFICATION,
        Match.Queue.INTERACTIVE,
        qualifies=tried,
    )
    charge(four_authors[0], 1799)
    assert leases.fail(leases.claim("w"), said("the engine is away"), (1, 0, 0, 0))
    assert leases.claim("w") is None


def test_an_attempt_of_which_nothing_was_measured_costs_each_author_little(four_authors, competition, clock):
    """A worker that is lost, by whatever bot's doing, must not use up the time of its opponents."""
    match = queued(competition, four_authors)
    leases.claim("w")
    clock.move(3 * HOUR)
    leases.give_back_expired()
    assert set(usage.current_usage().authors.values()) == {usage.MINUTE}
    match.refresh_from_db()
    assert match.state == match.State.QUEUED


def test_builds_are_charged_and_wait_too(user, competition, coup, clock, monkeypatch):
    bob = User.objects.create_user("bob")
    adas = [receive(user, competition, name, "a.py", b"print('READY')\n") for name in ("a", "b")]
    bobs = [receive(bob, competition, name, "a.py", b"print('READY')\n") for name in ("c", "d", "e")]
    monkeypatch.setattr(building.sandbox_build, "build", lambda *_: Built(None, "", said("it took long"), ""))
    ticks = iter([0, 1000, 1000, 1001])
    monkeypatch.setattr(building, "time", SimpleNamespace(monotonic=lambda: next(ticks)))

    assert building.build_next(None)
    assert building.build_next(None)

    states = {
        submission.bot.name: type(submission).objects.get(pk=submission.pk).state
        for submission in (*adas, *bobs)
    }
    assert states == {"a": "rejected", "b": "received", "c": "rejected", "d": "received", "e": "received"}
    assert usage.current_usage().authors == {user.pk: 1000.0, bob.pk: 1.0}
    usage.charge(adas[0].bot_id, 800)
    assert [building.claim(), building.claim(), building.claim()] == [*bobs[1:], None]
    clock.move(HOUR)
    assert building.claim() == adas[1]


def test_what_no_window_reaches_any_more_is_forgotten(four_authors, clock):
    charge(four_authors[0], 10)
    clock.move(HOUR / 2)
    charge(four_authors[0], 5)
    usage.forget()
    assert usage.current_usage().authors == {four_authors[0].bot.owner_id: 15.0}
    clock.move(2 * HOUR)
    usage.forget()
    assert WorkerTime.objects.count() == 1
    assert usage.current_usage().authors == {}


@pytest.mark.django_db(transaction=True)
def test_workers_that_charge_the_same_bot_at_once_lose_nothing(user, competition):
    [submission] = activate(user, competition, ["a"])

    def charge_often(_):
        try:
            for _ in range(10):
                usage.charge(submission.bot_id, 1.0)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(charge_often, range(4)))
    assert usage.current_usage().bots == {submission.bot_id: 40.0}
