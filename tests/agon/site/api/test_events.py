"""Feeds: in order, without gaps, and only what a reader may know."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.contrib.auth.models import Group
from django.db import connections, transaction
from django.utils import timezone

from agon.site.bots import reasons, states
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.events import feed
from agon.site.events.models import Event, Kind
from agon.site.leaderboards import fitting
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import scheduling
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import leaving_play
from tests.support.factories import activate, played, submit

from .conftest import Program

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def types(response) -> list[str]:
    assert response.status_code == 200, response.content
    return [item["type"] for item in response.json()["items"]]


def test_an_owner_learns_how_a_submission_ended(ada, anyone, user, competition):
    good = submit(user, competition, "Rita", State.QUALIFYING)
    bad = submit(user, competition, "Sue", State.BUILDING)
    good.move(states.ACTIVATE)
    bad.move(states.REJECT)

    assert types(ada.get("me/events")) == ["version.active", "version.rejected"]
    first = ada.get("me/events").json()["items"][0]
    assert first["data"] == {"bot": good.bot_id, "submission": good.pk, "version": 1}
    assert first["links"]["submission"].endswith(f"/api/v1/submissions/{good.pk}")
    assert types(anyone.get("competitions/samurai/events")) == ["version.active"]
    assert anyone.get("me/events").status_code == 401


def test_a_reader_goes_on_where_it_was(anyone, competition):
    for number in range(5):
        feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=number)
    seen, since = [], 0
    while page := anyone.get(f"competitions/samurai/events?since={since}&limit=2").json()["items"]:
        seen += [event["data"]["version"] for event in page]
        since = page[-1]["id"]

    assert seen == [0, 1, 2, 3, 4]
    assert anyone.get(f"competitions/samurai/events?since={since}").json() == {"items": [], "since": since}
    feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=5)
    assert types(anyone.get(f"competitions/samurai/events?since={since}")) == ["leaderboard.changed"]


def test_feeds_are_apart(anyone, competition, coup):
    feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=1)

    assert types(anyone.get("competitions/coup/events")) == []
    assert types(anyone.get("competitions/samurai/events")) == ["leaderboard.changed"]


def test_what_is_not_kept_any_more_is_said(anyone, competition):
    for _ in range(3):
        feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=1)
    last = anyone.get("competitions/samurai/events").json()["since"]
    Event.objects.exclude(number=last).update(at=timezone.now() - feed.KEPT - timedelta(seconds=1))
    assert feed.remove_old() == 2

    gone = anyone.get("competitions/samurai/events?since=1")
    assert (gone.status_code, gone.json()["code"]) == (410, "gone")
    assert str(last) in gone.json()["detail"]
    assert types(anyone.get(f"competitions/samurai/events?since={last - 1}")) == ["leaderboard.changed"]


@pytest.mark.parametrize("since", [-1, 10**30])
def test_numbers_out_of_range_are_no_error(anyone, competition, since):
    assert anyone.get(f"competitions/samurai/events?since={since}").status_code == 200


def test_what_bots_do_is_told(anyone, ada, user, competition):
    [own] = activate(user, competition, ["Rita"])
    leaving_play.rename(own.bot, user, "Rita 2")
    leaving_play.withdraw(own.bot, user)
    Bot.objects.update(changed=timezone.now() - leaving_play.ABSENCE)
    leaving_play.reenter(own.bot, user)
    leaving_play.stop(own.bot, None, reasons.stopped("odd"))
    ada.delete(f"bots/{own.bot_id}")

    assert types(anyone.get("competitions/samurai/events")) == [
        "bot.renamed",
        "bot.left",
        "bot.returned",
        "bot.stopped",
    ]
    assert types(ada.get("me/events")) == ["bot.stopped"]


def test_results_and_ratings_are_told(anyone, user, competition):
    four = activate(user, competition, ["Rita", "Sue", "Tom", "Una"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four, seed=1)
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed))
    fitting.catch_up(competition.pk)

    items = anyone.get("competitions/samurai/events").json()["items"]
    assert items[0]["type"] == "matches.finished"
    assert items[0]["data"] == {"matches": [claimed.pk]}
    assert items[-1]["type"] == "leaderboard.changed"


def test_a_tournament_tells_its_acts_and_its_end(anyone, ada, user, competition, django_user_model):
    orga = django_user_model.objects.create_user("orga")
    orga.groups.add(Group.objects.get(name="Organizers"))
    organizer = Program(orga)
    bots = [submission.bot_id for submission in activate(user, competition, ["Rita", "Sue", "Tom", "Una"])]
    body = {"competition": "samurai", "name": "Cup", "format": "rotations", "rounds": 1, "bots": bots}
    number = organizer.post("tournaments", body).json()["id"]
    assert types(anyone.get("competitions/samurai/events")) == []
    organizer.post(f"tournaments/{number}/start")
    organizer.post(f"tournaments/{number}/disqualify", {"entrant": 0, "reason": "copied"})
    while (claimed := leases.claim("w")) is not None:
        assert leases.finish(claimed, played(claimed))
    scheduling.settle(number)

    items = anyone.get("competitions/samurai/events").json()["items"]
    told = [item["data"].get("act", item["type"]) for item in items]
    assert told == ["start", "disqualify", "tournament.finished"]
    assert types(ada.get("me/events")) == ["tournament.started", "tournament.finished"]
    assert Tournament.objects.get().state == "finished"


def test_nothing_is_told_of_what_is_undone(anyone, user, competition):
    building = submit(user, competition, "Sue", State.BUILDING)
    with transaction.atomic():
        building.move(states.REJECT)
        transaction.set_rollback(True)

    assert not Event.objects.exists()
    assert Submission.objects.get().state == State.BUILDING


@pytest.mark.django_db(transaction=True)
def test_a_reader_misses_nothing_when_transactions_end_out_of_order(anyone, competition):
    """The second event is visible before the first one: the first gets the higher number."""
    if connections["default"].vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    added, seen = Barrier(2, timeout=30), Barrier(2, timeout=30)

    def slow() -> None:
        try:
            with transaction.atomic():
                feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=1)
                added.wait()
                seen.wait()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(slow)
        added.wait()
        feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=2)
        first = anyone.get("competitions/samurai/events").json()
        seen.wait()
        running.result()
    second = anyone.get(f"competitions/samurai/events?since={first['since']}").json()

    assert [event["data"]["version"] for event in first["items"] + second["items"]] == [2, 1]


@pytest.mark.django_db(transaction=True)
def test_readers_that_number_events_at_once_give_each_one_number(anyone, competition):
    for version in range(20):
        feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=version)

    def read(_number: int) -> list[int]:
        try:
            return [item["id"] for item in anyone.get("competitions/samurai/events").json()["items"]]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(read, range(4)))
    assert numbers == [list(range(1, 21))] * 4
