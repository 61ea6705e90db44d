"""Webhooks get every event once and in order, and a bad receiver costs little."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone
from django.utils.http import http_date

from agon.site.competitions.models import Competition
from agon.site.events import feed
from agon.site.events.models import Event, Kind
from agon.site.use_cases import closing_accounts
from agon.site.webhooks import delivering, sending, services
from agon.site.webhooks.models import Delivery, Hook
from agon.site.workers import outgoing, tasks
from tests.support.at_once import failure_in_between
from tests.support.receivers import Receiver, receiving

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture(autouse=True)
def local(settings) -> None:
    settings.AGON_LOCAL_HOOKS = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(200) as [server]:
        yield server


@pytest.fixture
def organizer(django_user_model):
    return django_user_model.objects.create_superuser("orga")


@pytest.fixture
def hook(organizer, competition, receiver) -> Hook:
    """It gets the feed of the competition."""
    return services.register(organizer, receiver.url, competition)


def happen(competition: Competition, count: int = 1) -> list[int]:
    """Events happen; returns the numbers of all so far."""
    for version in range(count):
        feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=version)
    feed.number_new()
    events = Event.objects.filter(competition=competition).order_by("number")
    return list(events.values_list("number", flat=True))


def deliver() -> None:
    outgoing.send()


def later(**time: float) -> None:
    """As if this much time had passed for the webhooks."""
    passed = timedelta(**time)
    Hook.objects.update(due=F("due") - passed, failing=F("failing") - passed, claimed=F("claimed") - passed)
    Delivery.objects.update(first=F("first") - passed)


def pause() -> float:
    """Seconds until the next try."""
    return (Hook.objects.get().due - timezone.now()).total_seconds()


def test_an_event_arrives_as_it_is_in_the_feed_and_signed(hook, receiver, competition, client):
    happen(competition)
    deliver()

    [(headers, body)] = receiver.requests
    [event] = client.get("/api/v1/competitions/samurai/events").json()["items"]
    assert json.loads(body) == event
    # https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    assert hook.secret.startswith("whsec_")
    key = base64.b64decode(hook.secret[len("whsec_") :])
    assert 24 <= len(key) <= 64
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    assert headers["content-type"] == "application/json"


def test_what_happened_before_is_not_sent(organizer, competition, receiver):
    happen(competition, 3)
    services.register(organizer, receiver.url, competition)
    numbers = happen(competition, 2)
    deliver()

    assert receiver.taken == numbers[3:]


def test_a_receiver_that_is_down_for_an_hour_gets_every_event_once_and_in_order(hook, receiver, competition):
    receiver.status = 503
    tries = 0
    for _minute in range(60):
        numbers = happen(competition)
        deliver()
        tries = max(tries, Hook.objects.get().failures)
        later(minutes=1)
    assert receiver.taken == []
    assert 5 <= tries <= 10
    receiver.status = 200
    later(hours=1)
    for _round in range(5):
        deliver()

    assert receiver.taken == numbers
    assert Hook.objects.get().failing is None
    ids = [headers["webhook-id"] for headers, _body in receiver.requests]
    assert len(set(ids)) == 60


def test_tries_are_spread_over_a_day_and_the_next_event_follows(hook, receiver, competition):
    first, second = happen(competition, 2)
    receiver.status = 500
    times, hours = [], 0.0
    while len(times) < 30 and Hook.objects.get().position < first:
        deliver()
        times.append(hours)
        hours += pause() / 3600
        later(seconds=pause() + 1)
    assert 10 <= len(times) <= 16
    assert 24 <= times[-1] <= 29
    assert Delivery.objects.get().tries == len(times)
    receiver.status = 200
    deliver()
    assert receiver.taken == [second]


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("3600", 3600),
        ("9" * 5000, 14_400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 14_400),
        ("2", 5),
        ("-3600", 5),
        ("1e9", 5),
        ("³", 5),
        ("soon", 5),
    ],
)
def test_a_receiver_can_ask_for_a_longer_pause(hook, receiver, competition, retry_after, seconds):
    happen(competition)
    receiver.status = 503
    receiver.headers = {"Retry-After": retry_after}
    deliver()
    assert pause() == pytest.approx(seconds, abs=4)


@pytest.mark.parametrize(("asked", "seconds"), [(1800, 1800), (-1800, 5)])
def test_the_end_of_that_pause_can_be_a_date(hook, receiver, competition, asked, seconds):
    happen(competition)
    receiver.status = 429
    receiver.headers = {"Retry-After": http_date(time.time() + asked)}
    deliver()
    assert pause() == pytest.approx(seconds, abs=4)


def test_a_webhook_that_fails_for_a_week_is_switched_off_and_its_owner_is_told(
    hook, receiver, competition, client, organizer
):
    numbers = happen(competition, 20)
    receiver.status = 500
    days = 0.0
    while Hook.objects.get().off is None and days < 9:
        deliver()
        days += max(pause(), 0) / 86_400
        later(seconds=pause() + 1)
    assert 6.5 < days < 8
    receiver.status = 200
    deliver()
    assert receiver.taken == []
    client.force_login(organizer)
    assert "The webhook to 127.0.0.1 was switched off" in client.get("/notices/").content.decode()

    services.switch_on(Hook.objects.get())
    deliver()
    assert receiver.taken == numbers[-len(receiver.taken) :]
    assert len(receiver.taken) > 10


def test_a_receiver_that_says_it_is_gone_is_switched_off_at_once(hook, receiver, competition):
    happen(competition)
    receiver.status = 410
    deliver()

    assert Hook.objects.get().off is not None
    assert Event.objects.filter(kind=Kind.WEBHOOK_OFF).count() == 1


def test_a_receiver_that_hangs_costs_seconds_and_holds_up_no_other(organizer, competition, monkeypatch):
    monkeypatch.setattr(sending, "SECONDS", 1.0)
    with receiving(*[200] * 10) as receivers:
        for server in receivers:
            services.register(organizer, server.url, competition)
        receivers[3].hangs = True
        numbers = happen(competition, 3)
        start = time.monotonic()
        deliver()
        took = time.monotonic() - start
        bad = Hook.objects.get(url=receivers[3].url)
        good = [server for server in receivers if server is not receivers[3]]

        assert [server.taken for server in good] == [numbers] * 9
        assert took < 5
        assert bad.deliveries.get().outcome == "timeout"
        numbers = happen(competition)
        start = time.monotonic()
        deliver()  # the bad one is not due yet
        assert time.monotonic() - start < took
        assert [server.taken for server in good] == [numbers] * 9


def test_redirects_are_not_followed(hook, receiver, competition):
    with receiving(200) as [inner]:
        receiver.status, receiver.headers = 302, {"Location": inner.url}
        happen(competition)
        deliver()

        assert inner.requests == []
    assert Delivery.objects.get().outcome == "redirect"


def test_an_account_gets_what_concerns_its_bots_and_nothing_else(user, competition, receiver):
    services.register(user, receiver.url, None)
    happen(competition)
    feed.add(Kind.BOT_STOPPED, competition.pk, user.pk, bot=1)
    deliver()

    assert [json.loads(body)["type"] for _headers, body in receiver.requests] == ["bot.stopped"]


def test_an_event_can_be_sent_again(hook, receiver, competition):
    numbers = happen(competition, 3)
    deliver()
    services.send_again(Delivery.objects.get(event__number=numbers[1]))
    deliver()
    deliver()

    assert receiver.taken == [*numbers, numbers[1]]
    assert receiver.requests[1][0]["webhook-id"] == receiver.requests[3][0]["webhook-id"]
    assert Delivery.objects.get(event__number=numbers[1]).tries == 2


def test_an_event_that_waits_can_be_tried_now_and_comes_once(hook, receiver, competition):
    numbers = happen(competition, 2)
    receiver.status = 500
    deliver()
    receiver.status = 200
    deliver()
    assert receiver.taken == []  # not due
    services.send_again(Delivery.objects.get())
    deliver()
    deliver()

    assert receiver.taken == numbers


def test_a_claim_of_a_worker_that_died_ends(hook, receiver, competition):
    numbers = happen(competition)
    Hook.objects.update(claimed=timezone.now() + timedelta(minutes=2))
    deliver()
    assert receiver.taken == []
    later(minutes=3)
    deliver()
    assert receiver.taken == numbers


def test_nothing_is_sent_for_accounts_that_were_closed_or_locked(hook, receiver, competition, organizer):
    type(organizer).objects.create_superuser("other")
    type(organizer).objects.filter(pk=organizer.pk).update(is_active=False)
    happen(competition)
    deliver()
    assert receiver.taken == []
    organizer.refresh_from_db()
    closing_accounts.close(organizer, organizer, "")
    assert not Hook.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_builds_does_not_wait_for_a_slow_receiver(hook, receiver, competition):
    receiver.hangs = True
    happen(competition)
    began = time.monotonic()
    tasks.send_out("build")
    tasks.send_out("build")  # while the first is at it
    assert time.monotonic() - began < sending.SECONDS / 2
    while not Delivery.objects.exists() and time.monotonic() - began < 30:
        time.sleep(0.1)
    delivery = Delivery.objects.get()
    assert (delivery.outcome, delivery.tries) == ("timeout", 1)


@pytest.mark.django_db(transaction=True)
def test_what_one_task_leaves_is_sent_by_the_next(hook, receiver, competition, monkeypatch):
    monkeypatch.setattr(delivering, "EVENTS", 1)
    monkeypatch.setattr("agon.site.workers.outgoing.request_task", lambda *task: tasks.send_out("build"))
    happen(competition, 3)
    began = time.monotonic()
    tasks.send_out("build")
    while Delivery.objects.count() < 3 and time.monotonic() - began < 30:
        time.sleep(0.1)
    assert Delivery.objects.filter(outcome="delivered").count() == 3


def test_the_sweeper_asks_for_it(hook, competition, monkeypatch):
    sent = []
    monkeypatch.setattr("agon.site.workers.outgoing.request_task", lambda *task: sent.append(task[0]))
    tasks.sweep()
    assert sent == []
    happen(competition)
    tasks.sweep()
    assert sent == ["agon.site.workers.tasks.send_out"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["send again", "delete"])
def test_a_webhook_that_its_owner_acts_on_while_an_attempt_is_stored(hook, receiver, competition, act):
    """Where an attempt is stored, the webhook is locked before the delivery."""
    receiver.status = 500
    happen(competition)
    deliver()
    delivery = Delivery.objects.get()
    acts = {
        "send again": lambda: services.send_again(Delivery.objects.get()),
        "delete": lambda: services.delete(Hook.objects.get()),
    }
    failure = failure_in_between(
        lambda: Hook.objects.select_for_update(no_key=True).get(pk=hook.pk),
        acts[act],
        lambda: Delivery.objects.filter(pk=delivery.pk).update(tries=2),
    )
    assert failure is None
    assert Hook.objects.exists() == (act != "delete")


@pytest.mark.django_db(transaction=True)
def test_an_attempt_that_cannot_be_stored_loses_no_other(hook, receiver, competition, organizer, monkeypatch):
    """An event that is removed while it is sent, as it was a month old, cannot be stored as delivered."""
    services.register(organizer, receiver.url, None)
    feed.add(Kind.BOT_STOPPED, None, organizer.pk, bot=1)
    [number] = happen(competition)
    send = sending.post

    def post(url, body, headers):
        if json.loads(body)["type"] == Kind.BOT_STOPPED:
            Event.objects.filter(kind=Kind.BOT_STOPPED).delete()
            connection.close()
        else:
            time.sleep(0.5)  # it ends after the other one
        return send(url, body, headers)

    monkeypatch.setattr(sending, "post", post)
    deliver()
    hook.refresh_from_db()
    assert (hook.position, hook.claimed) == (number, None)
