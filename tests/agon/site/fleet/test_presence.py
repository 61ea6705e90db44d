"""Which processes are alive: they say so themselves, and whose silence lasts is said to be missing."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection

from agon.site.asgi import application
from agon.site.core import counting, errors_seen
from agon.site.core.alive import alive_file
from agon.site.core.db.leases import now
from agon.site.fleet import heartbeat, presence
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import LoggedError, Process, Total
from tests.support.asking import ask
from tests.support.processes import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
PATIENCE = 60.0  # seconds
ALL = [
    ("scheduler", ["scheduler"]),
    ("worker-0", ["bulk", "chores", "interactive"]),
    ("builder", ["archives", "build"]),
]


@pytest.fixture(autouse=True)
def _no_counts():
    counting.take()
    cache.clear()  # in which staff pages keep what is missing
    yield
    counting.take()


def all_alive():
    for name, queues in ALL:
        Heartbeat(name, "player", lambda queues=queues: {"queues": queues}).beat()


def until(condition, process=None, log=None):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, log and log.read_text()
        assert process is None or process.poll() is None
        connection.close()
        time.sleep(0.1)  # another process is at work


def test_a_site_that_never_ran_misses_everything_that_every_site_needs():
    missing = presence.missing(presence.seen())
    assert [duty.duty for duty in missing] == [
        "scheduler",
        "chores",
        "interactive",
        "bulk",
        "build",
        "archives",
    ]
    assert {duty.since for duty in missing} == {None}


def test_nothing_is_missing_where_all_have_been_seen_just_now():
    all_alive()
    assert presence.missing(presence.seen()) == []
    assert Process.objects.count() == 3
    all_alive()
    assert Process.objects.count() == 3


@pytest.mark.parametrize(
    ("name", "duties"),
    [
        ("scheduler", ["scheduler"]),
        ("worker-0", ["chores", "interactive", "bulk"]),
        ("builder", ["build", "archives"]),
    ],
)
def test_a_process_that_is_silent_for_a_minute_is_missed_by_its_duties(capsys, name, duties):
    all_alive()
    silent = Process.objects.filter(place__endswith=name)
    silent.update(seen=now() - timedelta(seconds=50))
    assert presence.missing(presence.seen()) == []
    silent.update(seen=now() - timedelta(seconds=61))
    assert [gap.duty for gap in presence.missing(presence.seen())] == duties
    with pytest.raises(SystemExit) as ended:
        call_command("status")
    assert ended.value.code == 1
    said = capsys.readouterr().out
    for duty in duties:
        assert f"MISSING: {duty}, since" in said
    with pytest.raises(SystemExit):
        call_command("status", json=True)
    document = json.loads(capsys.readouterr().out)
    assert [gap["duty"] for gap in document["missing"]] == duties
    assert [process["alive"] for process in document["processes"]].count(False) == 1


def test_staff_see_on_every_page_what_is_dead_and_others_do_not(client, django_user_model):
    all_alive()
    Process.objects.filter(place__endswith="scheduler").update(seen=now() - timedelta(minutes=9))
    said = "Nothing is started on time"
    assert said not in client.get("/").content.decode()
    client.force_login(django_user_model.objects.create_user("boss", is_staff=True))
    for page in ("/", "/admin/"):
        text = client.get(page).content.decode()
        assert said in text
        assert ":scheduler was last seen <time" in text


def test_a_second_one_of_its_kind_keeps_a_duty():
    all_alive()
    Heartbeat("worker-1", "player", lambda: {"queues": ["bulk", "chores", "interactive"]}).beat()
    Process.objects.filter(place__endswith="worker-0").update(seen=now() - timedelta(hours=1))
    assert presence.missing(presence.seen()) == []


def test_one_that_was_told_to_stop_is_missed_at_once():
    all_alive()
    Heartbeat("scheduler", "scheduler", lambda: {"queues": ["scheduler"]}).beat(stopped=True)
    assert [duty.duty for duty in presence.missing(presence.seen())] == ["scheduler"]


def test_one_that_was_killed_is_stopped_a_minute_later_and_what_cannot_be_seen_from_here_stays_silent():
    """Such as a worker that the supervisor killed in mid-match, on a site that starts again with fewer."""
    killed = subprocess.Popen(["true"])
    killed.wait()
    changes = {  # of the row of a process that runs; by name
        "killed": {"pid": killed.pid},
        "number-reused": {"birth": "1"},
        "killed-just-now": {"pid": killed.pid, "seconds": 50},
        "hangs": {},
        "elsewhere": {"pid": killed.pid, "host": "another"},
        "in-a-container": {"pid": killed.pid, "pids": 1},
        "of-an-older-version": {"pid": killed.pid, "pids": None, "birth": None},
    }
    for name, change in changes.items():
        Heartbeat(name, "player").beat()
        row = Process.objects.get(place__endswith=f":{name}")
        row.pid, row.seen = change.get("pid", row.pid), now() - timedelta(seconds=change.get("seconds", 61))
        facts = {key: value for key, value in change.items() if key not in ("pid", "seconds")}
        row.facts = {key: value for key, value in (row.facts | facts).items() if value is not None}
        row.save()
    presence.note_ended()

    stopped = Process.objects.filter(stopped=True).values_list("place", flat=True)
    assert {place.partition(":")[2] for place in stopped} == {"killed", "number-reused"}
    Heartbeat("killed", "player").beat()  # it was started again
    assert not Process.objects.get(place__endswith=":killed").stopped


def test_signing_is_missed_only_where_it_was_done_once():
    all_alive()
    Heartbeat("signer", "signer", lambda: {"queues": ["signing"]}).beat()
    Process.objects.filter(place__endswith="signer").update(seen=now() - timedelta(hours=1))
    assert [duty.duty for duty in presence.missing(presence.seen())] == ["signing"]


def test_a_main_loop_that_stands_still_is_silent():
    Heartbeat("scheduler", "scheduler", is_turning=lambda: False).beat()
    assert not Process.objects.exists()


def test_a_folder_of_data_whose_name_is_no_text_makes_no_process_silent(settings, tmp_path):
    settings.VAR = Path(os.fsdecode(bytes(tmp_path) + b"/Daten-f\xfcr-Agon"))
    settings.VAR.mkdir()
    Heartbeat("worker-0", "player", lambda: {"queues": ["bulk"]}).beat()
    assert [process.is_alive for process in presence.seen()] == [True]


def test_rows_are_forgotten_but_for_what_is_still_missed():
    all_alive()
    for name, kind, age in [
        ("web-1", "web", 0),
        ("web-2", "web", 700),
        ("worker-9", "player", 3600),
        ("worker-8", "player", 8 * 86400),
    ]:
        Heartbeat(name, kind).beat()
        Process.objects.filter(place__endswith=name).update(seen=now() - timedelta(seconds=age))
    presence.forget()
    names = {process.partition(":")[2] for process in Process.objects.values_list("place", flat=True)}
    assert names == {"scheduler", "worker-0", "builder", "web-1", "worker-9"}


def test_counts_are_added_up_and_survive_a_database_that_fails(monkeypatch):
    counting.count("responses", status="2xx")
    counting.count("responses", 2, status="2xx")
    counting.count("responses", status="5xx")
    beating = Heartbeat("web-1", "web")
    with monkeypatch.context() as patch:
        patch.setattr(heartbeat, "PROCESS", "no sql")
        with pytest.raises(OperationalError if connection.vendor == "sqlite" else Exception):
            beating.beat()
    beating.beat()
    counting.count("responses", status="2xx")
    Heartbeat("web-2", "web").beat()
    totals = dict(Total.objects.values_list("labels", "value"))
    assert totals == {"status=2xx": 4, "status=5xx": 1}


def test_errors_that_were_logged_are_stored_once_with_how_often_they_came(monkeypatch):
    errors_seen.take()
    log = logging.getLogger("agon.site.x")
    for number in range(1000):
        log.error("match %s broke\nbadly", number)
    log.warning("no error")
    try:
        raise ValueError("smtp://me:hunter2@mail")
    except ValueError:
        log.exception("it failed")
    beating = Heartbeat("worker-0", "player")
    with monkeypatch.context() as patch:
        patch.setattr(heartbeat, "PROCESS", "no sql")
        with pytest.raises(DatabaseError):
            beating.beat()
    log.error("match %s broke\nbadly", "last")
    beating.beat()
    log.error("match %s broke\nbadly", "of all")
    Heartbeat("worker-1", "player").beat()
    errors = {
        (logged_error.text, logged_error.count, logged_error.place.partition(":")[2])
        for logged_error in LoggedError.objects.all()
    }
    assert errors == {
        ("match of all broke\\nbadly", 1002, "worker-1"),
        ("it failed (ValueError: smtp://me:[secret]@mail)", 1, "worker-0"),
    }
    for number in range(500):
        log.error(f"another {number}")
    assert len(errors_seen.take()) == errors_seen.MOST_ERRORS
    LoggedError.objects.update(last=now() - timedelta(days=8))
    presence.forget()
    assert not LoggedError.objects.exists()


def test_a_web_server_says_that_it_is_alive_from_its_start_to_its_end_and_counts_answers():
    async def live():
        told: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        said: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        task = asyncio.create_task(application({"type": "lifespan"}, told.get, said.put))
        await told.put({"type": "lifespan.startup"})
        assert (await said.get())["type"] == "lifespan.startup.complete"
        await told.put({"type": "lifespan.shutdown"})
        assert (await said.get())["type"] == "lifespan.shutdown.complete"
        await task

    assert ask(application, "/no/such/page/").status == 404
    assert ask(application, "/healthz").status == 200  # machines that watch are not counted
    asyncio.run(live())
    [web] = presence.seen()
    assert (web.process.kind, web.process.stopped, web.process.facts["streams"]) == ("web", True, 0)
    assert dict(Total.objects.values_list("labels", "value")) == {"status=4xx": 1}


def environment(tmp_path):
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        url = f"postgres://{database['USER']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    own = {"DATABASE_URL": url, "AGON_MACHINE": "test", "TMPDIR": str(tmp_path), "AGON_VAR": str(tmp_path)}
    return os.environ | own | {"PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.first(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "kind", "queues"),
    [
        (["scheduler"], "scheduler", ["scheduler"]),
        (["worker", "archives", "archives"], "archives", ["archives"]),
    ],
)
def test_a_real_process_is_seen_and_its_health_check_fails_once_it_is_silent(tmp_path, words, kind, queues):
    name = "scheduler" if words == ["scheduler"] else words[1]
    check = [sys.executable, "-m", "agon.supervisor.alive", name]
    settings = environment(tmp_path)
    assert subprocess.run(check, env=settings, cwd=ROOT).returncode == 1
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "agon.supervisor.consumer", *words],
            env=settings,
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
    try:
        until(Process.objects.filter(place=f"test:{name}").exists, process, tmp_path / "log")
        [seen] = presence.seen()
        assert (seen.process.kind, seen.process.facts["queues"]) == (kind, queues)
        assert seen.process.pid == process.pid
        assert seen.is_alive
        assert subprocess.run(check, env=settings, cwd=ROOT).returncode == 0
        process.terminate()
        process.wait(60)
        until(lambda: Process.objects.get().stopped)
    finally:
        process.kill()
        process.wait()
    file = tmp_path / alive_file(name).name
    os.utime(file, (time.time() - 61, time.time() - 61))
    said = subprocess.run(check, env=settings, cwd=ROOT, capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (1, f"{name}: not alive for 60 s\n")
