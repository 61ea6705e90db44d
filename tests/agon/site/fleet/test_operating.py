"""The operator's page: what it shows, what operators do there, and that it stays quick."""

import logging
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.core import errors_seen
from agon.site.core.db.leases import now
from agon.site.fleet import parking
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import OddWorker, Process
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from games.core.reason import Reason
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
WHY = "its fan is broken"


@pytest.fixture
def operator():
    person = User.objects.create_user("operator")
    person.user_permissions.add(Permission.objects.get(codename="change_oddworker"))
    return person


@pytest.fixture
def desk(client, operator):
    client.force_login(operator)
    return client


@pytest.fixture
def seats(user, competition):
    return activate(user, competition, ["a", "b", "c", "d"])


def queue(competition, seats, count=1):
    return [
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats) for _ in range(count)
    ]


def alive(*names, machine="test", matches=0):
    for number, name in enumerate(names):
        facts = {
            "queues": ["bulk", "interactive"],
            "core": str(number),
            "worker": f"{machine}:core{number}:7",
            "task": "play",
            "task_since": 1.0,
            "matches_per_minute": 31.5,
        }
        heartbeat = Heartbeat(name, "player", lambda facts=facts: facts)
        heartbeat.beat()


def text_of(page):
    return " ".join(page.content.decode().split())


def test_an_empty_site_has_a_page(desk):
    page = desk.get("/operate/")
    assert page.status_code == 200
    text = text_of(page)
    assert "No process has said that it is alive." in text
    assert "No process for “scheduler” has ever been seen." in text


def test_others_do_not_find_it(client, django_user_model):
    assert client.get("/operate/").status_code == 302
    client.force_login(django_user_model.objects.create_user("staff", is_staff=True))
    assert client.get("/operate/").status_code == 404
    assert client.post("/operate/acts/", {"what": "sweep", "why": WHY}).status_code == 404
    assert not Act.objects.exists()


def test_it_shows_workers_leases_and_void_matches_with_the_reason(desk, competition, seats):
    alive("worker-0", "worker-1")
    Process.objects.filter(place__endswith="worker-1").update(seen=now() - timedelta(minutes=5))
    [void] = queue(competition, seats)
    for _ in range(3):
        assert leases.fail(leases.claim("test:core0:7"), Reason("text", text="<b>the disk\x00 broke</b>"))
    queue(competition, seats, 2)
    running = leases.claim("test:core0:7")
    text = text_of(desk.get("/operate/"))
    assert "31.5" in text
    assert "silent" in text
    assert f"#{running.pk}</a>" in text
    assert f"Take match {running.pk} from test:core0:7" in text
    assert f"#{void.pk}</a>" in text
    assert "&lt;b&gt;the disk" in text
    assert "<b>the disk" not in text


def test_of_very_many_processes_those_in_trouble_are_shown_and_the_others_counted(desk):
    time = now()
    Process.objects.bulk_create(
        Process(
            place=f"far:w{number}", kind="player", machine="far", version="1", pid=1, since=time, seen=time
        )
        for number in range(5000)
    )
    Process.objects.filter(place="far:w4999").update(seen=time - timedelta(minutes=5))
    page = desk.get("/operate/")
    text = text_of(page)
    assert "far:w4999 " in text
    assert "4800 more processes are not shown." in text
    assert len(page.content) < 300_000


def test_processes_that_ended_as_requested_hide_none_that_plays(desk):
    """Machines that come and go by the hour leave very many within a week."""
    alive(*(f"gone-{number}" for number in range(300)), machine="gone")
    Process.objects.update(stopped=True)
    alive("worker-0", machine="here")
    text = text_of(desk.get("/operate/"))
    assert ":worker-0 <span" in text
    assert "Let here:core0 claim no more matches" in text


def test_errors_are_shown_and_escaped(desk):
    errors_seen.take()
    logging.getLogger("agon.site.x").error("<b>%s</b>\u202e", "broken")
    alive("worker-0")
    text = text_of(desk.get("/operate/"))
    assert "&lt;b&gt;broken&lt;/b&gt;\\u202e" in text


def test_a_worker_is_parked_and_released_with_a_reason(desk, operator, competition, seats):
    alive("worker-0")
    queue(competition, seats)
    claimed = leases.claim("test:core0:7")
    leases.finish(claimed, played(claimed))
    assert "park:test:core0" in text_of(desk.get("/operate/"))
    assert desk.post("/operate/acts/", {"what": "park:test:core0", "why": WHY}).status_code == 302
    assert parking.is_parked("test:core0:8")
    text = text_of(desk.get("/operate/"))
    assert WHY in text
    assert "release:test:core0" in text
    assert desk.post("/operate/acts/", {"what": "release:test:core0", "why": "repaired"}).status_code == 302
    assert not parking.is_parked("test:core0:8")
    acts = Act.objects.order_by("pk").values_list("verb", "actor", "subject", "reason")
    assert list(acts) == [
        ("park", operator.pk, "test:core0", WHY),
        ("release worker", operator.pk, "test:core0", "repaired"),
    ]


def test_a_parked_worker_is_released_although_it_has_not_reported_for_so_long_that_its_row_is_gone(desk):
    """The machine comes back after its repair, and would play nothing, without a word on the page."""
    alive("worker-0")
    desk.post("/operate/acts/", {"what": "park:test:core0", "why": WHY})
    Process.objects.all().delete()
    text = text_of(desk.get("/operate/"))
    assert f"test:core0 (parked) has not been seen for a week: {WHY}" in text
    assert '<option value="release:test:core0">' in text
    assert desk.post("/operate/acts/", {"what": "release:test:core0", "why": "repaired"}).status_code == 302
    assert not parking.is_parked("test:core0:8")
    assert "test:core0" not in text_of(desk.get("/operate/")).partition("claims matches again.")[2]


def test_a_machine_is_drained(desk, admin_client, capsys, settings, competition, seats):
    settings.AGON_MACHINE = "far"
    alive("worker-0", "worker-1", "worker-2", machine="far")
    queue(competition, seats, 2)
    for core in (0, 1):
        claimed = leases.claim(f"far:core{core}:7")
        leases.finish(claimed, played(claimed))
    assert desk.post("/operate/acts/", {"what": "drain:far", "why": WHY}).status_code == 302
    assert set(OddWorker.objects.values_list("worker", "state")) == {
        ("far:core0", "parked"),
        ("far:core1", "parked"),
        ("far:core2", "parked"),  # it has never played
    }
    assert Act.objects.filter(verb="park", reason=WHY).count() == 3
    call_command("odd_workers")
    assert "never played" in capsys.readouterr().out
    assert "far:core2" in text_of(admin_client.get("/admin/fleet/oddworker/"))
    assert desk.post("/operate/acts/", {"what": "drain:near", "why": WHY}).status_code == 422


def test_a_match_is_taken_from_its_worker(desk, competition, seats):
    queue(competition, seats)
    claimed = leases.claim("test:core0:7")
    assert desk.post("/operate/acts/", {"what": taking_away(desk), "why": WHY}).status_code == 302
    claimed.refresh_from_db()
    assert claimed.state == "queued"
    assert Act.objects.get().reason == WHY


def test_a_page_that_shows_the_attempt_before_does_not_take_the_match_from_the_next_worker(
    desk, competition, seats
):
    queue(competition, seats)
    leases.claim("test:core0:7")
    shown_to_both = taking_away(desk)
    assert desk.post("/operate/acts/", {"what": shown_to_both, "why": WHY}).status_code == 302
    again = leases.claim("test:core1:8")
    late = desk.post("/operate/acts/", {"what": shown_to_both, "why": "It hangs."})
    assert late.status_code == 422
    assert "another attempt" in text_of(late)
    again.refresh_from_db()
    assert (again.state, again.attempt, again.worker) == ("running", 2, "test:core1:8")
    assert Act.objects.count() == 1


def taking_away(desk) -> str:
    """The act that the page offers for the match that is being played."""
    (act,) = re.findall(r'"(requeue:[^"]*)"', desk.get("/operate/").content.decode())
    return str(act)


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("sweep", ""),
        ("sweep", "x" * 1001),
        ("sweep", "a\0b"),
        ("", WHY),
        ("erase", WHY),
        ("park:", WHY),
        ("park:nowhere:core0", WHY),
        ("park:\u202e", WHY),
        ("a\0", WHY),
        ("release:test:core0", WHY),
        ("requeue:", WHY),
        ("requeue:x", WHY),
        ("requeue:-1", WHY),
        ("requeue:" + "9" * 30, WHY),
        ("requeue:1:" + "9" * 30, WHY),
        ("requeue:٣:١", WHY),
        ("drain:" + "m" * 300, WHY),
    ],
)
def test_what_cannot_be_done_is_said_and_not_recorded(desk, what, why):
    page = desk.post("/operate/acts/", {"what": what, "why": why})
    assert page.status_code == 422
    assert 'class="errors' in text_of(page)
    assert not Act.objects.exists()


def test_the_page_takes_as_many_queries_with_much_as_with_little(desk, competition, seats):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            assert desk.get("/operate/").status_code == 200
        return len(captured)

    alive("worker-0")
    queue(competition, seats, 3)
    leases.claim("test:core0:7")
    desk.get("/operate/")
    few = queries()
    alive(*(f"worker-{number}" for number in range(60)))
    queue(competition, seats, 40)
    for number in range(15):
        leases.claim(f"test:core{number}:7")
    for number in range(10):
        leases.fail(leases.claim(f"test:core{number}:9"), Reason("text", text="no"))
    assert queries() <= few + 8
    assert few <= 32
