"""/metrics: who may read it, and that its figures are those of what happened."""

from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from agon.site.asgi import application
from agon.site.core import counting
from agon.site.core.db.leases import now
from agon.site.core.setting_values import networks
from agon.site.fleet import presence
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import Canary, Process
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.web.fleet import metrics
from games.core.reason import Reason
from tests.support.asking import ask
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
TOKEN = "a token of forty characters, more or less"
KEY = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(autouse=True)
def _token(settings):
    settings.AGON_METRICS_TOKEN = TOKEN
    counting.take()
    yield
    counting.take()


def figures():
    """All samples, by name and labels."""
    answer = ask(application, "/metrics", **KEY)
    assert answer.status == 200, answer
    assert answer.headers["content-type"].startswith("text/plain; version=")
    samples = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.documentation
        for sample in family.samples:
            key = sample.name, *sorted(sample.labels.values())
            assert key not in samples
            samples[key] = sample.value
    return samples


def fresh_figures():
    Heartbeat(
        "worker-0", "player", lambda: {"queues": ["bulk"], "worker": "test:core0:7", "task": "play"}
    ).beat()
    return figures()


def test_an_empty_site_has_all_figures():
    values = figures()
    assert values["agon_queue_waiting", "bulk"] == 0
    assert values["agon_duty_missing", "scheduler"] == 1
    assert values["agon_workers", "playing"] == 0
    assert values["agon_database_bytes",] > 100_000


def test_it_tells_what_happened(user, competition):
    seats = activate(user, competition, ["a", "b", "c", "d"])
    for _ in range(5):
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    finished = leases.claim("test:core0:7")
    fault = {(0, 0): ("crash", "it crashed")}
    assert leases.finish(finished, played(finished, fault))
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats)
    for attempt in (1, 2, 3):
        claimed = leases.claim("test:core0:7")
        assert (claimed.queue, claimed.attempt) == ("interactive", attempt)
        assert leases.fail(claimed, Reason("text", text="no"))
    lost = leases.claim("test:core0:8")
    Match.objects.filter(pk=lost.pk).update(lease_until=now() - timedelta(seconds=1))
    assert leases.give_back_expired() == 1
    assert leases.claim("test:core0:9")

    values = fresh_figures()
    game = competition.game
    assert (
        values["agon_matches_total", "finished", game] == Match.objects.filter(state="finished").count() == 1
    )
    assert values["agon_matches_total", game, "void"] == Match.objects.filter(state="void").count() == 1
    assert values["agon_faults_total", "crash", game] == 1
    assert values["agon_failed_attempts_total", "platform"] == 3
    assert values["agon_failed_attempts_total", "worker"] == 1
    assert values["agon_leases_lost_total", "match"] == 1
    assert values["agon_queue_waiting", "bulk"] == Match.objects.filter(state="queued").count()
    assert values["agon_queue_running", "bulk"] == 1
    assert 0 < values["agon_queue_oldest_seconds", "bulk"] < 600
    assert values["agon_queue_oldest_seconds", "interactive"] == 0
    assert values["agon_workers", "playing"] == 1
    assert values["agon_processes", "player"] == 1
    assert values["agon_process_last_seen_seconds", "player"] < 60
    assert values["agon_duty_missing", "bulk"] == 0
    Match.objects.filter(state="queued").update(created=now() - timedelta(hours=1))
    assert 3500 < figures()["agon_queue_oldest_seconds", "bulk"] < 4200


def test_a_transaction_that_fails_counts_nothing(user, competition):
    seats = activate(user, competition, ["a", "b", "c", "d"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    claimed = leases.claim("w")
    counting.take()
    claimed.attempt += 1  # another worker has it
    assert not leases.finish(claimed, played(claimed))
    assert counting.take() == {}


def test_silent_and_parked_workers_are_no_playing_ones():
    for number in range(3):
        facts = {"queues": ["bulk"], "worker": f"test:core{number}:7", "task": "play"}
        Heartbeat(f"worker-{number}", "player", lambda facts=facts: facts).beat()
    Process.objects.filter(place__endswith="worker-1").update(seen=now() - presence.SILENT)
    Process.objects.filter(place__endswith="worker-2").update(stopped=True)
    values = figures()
    assert (values["agon_workers", "playing"], values["agon_workers", "silent"]) == (1, 1)


def test_the_age_of_the_canary_is_told_where_there_is_one(settings):
    assert ("agon_canary_age_seconds",) not in figures()
    settings.AGON_CANARY_SECONDS = 300
    time = now()
    Canary.objects.create(
        pk=1,
        asked=time,
        since=time - timedelta(hours=9),
        succeeded=time - timedelta(seconds=900),
        seconds=2.5,
    )
    values = figures()
    assert 900 <= values["agon_canary_age_seconds",] < 1500
    assert values["agon_canary_seconds",] == 2.5


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        ("127.0.0.1", {}, 401),
        ("127.0.0.1", {"authorization": "Bearer wrong"}, 401),
        ("127.0.0.1", {"authorization": f"Basic {TOKEN}"}, 401),
        ("192.0.2.7", KEY, 200),
        ("10.1.2.3", {}, 200),
        ("::ffff:10.1.2.3", {}, 200),
        ("10.1.2.3", {"x_forwarded_for": "10.1.2.3"}, 401),
        ("10.2.0.0", {}, 401),
    ],
)
def test_only_the_token_and_the_networks_open_it(settings, client, headers, status):
    settings.AGON_METRICS_NETWORKS = networks("AGON_METRICS_NETWORKS", ["10.1.0.0/16", "2001:db8::1"])
    answer = ask(application, "/metrics", client=client, **headers)
    assert answer.status == status
    assert ("agon_" in answer.text) == (status == 200)
    assert ("www-authenticate" in answer.headers) == (status == 401)


def test_it_is_off_without_either(settings):
    settings.AGON_METRICS_TOKEN, settings.AGON_METRICS_NETWORKS = "", []
    for headers in ({}, {"authorization": "Bearer "}):
        assert ask(application, "/metrics", **headers).status == 404


@pytest.mark.parametrize("text", ["10.0.0.1/8", "example.org", "", "10.0.0.0/33", "\0"])
def test_a_network_that_is_none_is_named(text):
    with pytest.raises(ImproperlyConfigured, match="AGON_METRICS_NETWORKS: expected addresses or networks"):
        networks("AGON_METRICS_NETWORKS", ["10.0.0.0/8", text])


def test_it_takes_few_queries_whatever_there_is(user, competition):
    seats = activate(user, competition, ["a", "b", "c", "d"])
    for _ in range(3):
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    fresh_figures()
    with CaptureQueriesContext(connection) as queries:
        metrics.text()
    assert len(queries) <= 18, [query["sql"] for query in queries]
