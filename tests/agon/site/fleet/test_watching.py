"""The watch: from stored matches to a parked worker, which an operator releases."""

import os
import subprocess
import sys
import zlib
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.fleet import parking, watching
from agon.site.fleet.models import OddWorker, Watch
from agon.site.fleet.states import WorkerState
from agon.site.matches import queueing, worker_names
from agon.site.matches.models import Match, Recording, Seat
from agon.site.matches.states import State
from agon.site.workers import playing
from agon.site.workers.worker import Worker
from games.core import timing
from games.core.timing import SeatTiming, Timing
from tests.support.factories import activate
from tests.support.processes import ROOT

pytestmark = pytest.mark.slow

FOUR = [f"host:core{number}" for number in range(4)]


@pytest.fixture
def bots(competition):
    """Of four authors."""
    names = ["Ann", "Ben", "Cid", "Dot"]
    return [activate(User.objects.create_user(name), competition, [name])[0] for name in names]


def store(competition, bots, matches, workers=FOUR, slow=(), factor=1.3):
    """Finished matches, in turn on each worker; answers take `factor` times as long on slow ones."""
    first = Match.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    over = {"started": now(), "finished_at": now(), "state": State.FINISHED}
    common = {"competition": competition, "kind": Match.Kind.LADDER, "queue": Match.Queue.BULK, **over}
    played = [
        Match(pk=first + 1 + n, seed=n, worker=f"{workers[n % len(workers)]}:{100 + n}", **common)
        for n in range(matches)
    ]
    Match.objects.bulk_create(played)
    Seat.objects.bulk_create(
        Seat(match=match, number=number, submission=bots[(number + match.pk // 4) % 4], name="bot")
        for match in played
        for number in range(4)
    )
    Recording.objects.bulk_create(
        Recording(match=match, record=b"", times=times_of(match, factor if place_in(match, slow) else 1.0))
        for match in played
    )
    return played


def place_in(match, places):
    return match.worker.rpartition(":")[0] in places


def times_of(match, factor):
    """Four seats; bots take 1 to 4 ms, with a fifth more or less from match to match."""
    jitter = 0.8 + match.pk * 7 % 41 / 100
    bots = [(number + match.pk // 4) % 4 for number in range(4)]
    seats = tuple(SeatTiming((int(1000 * (bot + 1) * jitter * factor),) * 5) for bot in bots)
    return zlib.compress(timing.to_json(Timing(seats)).encode())


def test_a_slow_worker_is_parked_with_its_matches_listed(competition, bots, caplog):
    played = store(competition, bots, 400, slow=FOUR[2:3])
    watching.tick()
    odd = OddWorker.objects.get()
    assert (odd.worker, odd.state, odd.competition) == (FOUR[2], WorkerState.PARKED, competition)
    assert str(odd.finding).startswith("Answers take 1.3")
    assert set(odd.finding.matches) == {match.pk for match in played if place_in(match, FOUR[2:3])}
    assert "worker host:core2 is parked: Answers take 1.3" in caplog.text
    assert parking.is_parked(f"{FOUR[2]}:77"), "whatever process is there now"
    assert not parking.is_parked(f"{FOUR[1]}:77")


@pytest.mark.production
def test_a_parked_worker_claims_nothing_until_it_is_released(competition, bots, monkeypatch):
    parking.record_finding(FOUR[0], competition, parking.StoredReason("slow"), park=True)
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, bots)
    monkeypatch.setattr(type(playing.worker), "name", f"{FOUR[0]}:1")
    passed_on, played = [], []
    monkeypatch.setattr(playing, "notify_now", passed_on.append)
    monkeypatch.setattr(playing, "play", lambda *matches, environment: played.extend(matches) or True)

    playing.play_waiting("bulk")
    assert (Match.objects.get().state, passed_on, played) == (State.QUEUED, ["bulk"], [])

    parking.release(OddWorker.objects.get())
    playing.play_waiting("bulk")
    assert [match.pk for match in played] == [Match.objects.get().pk]


@pytest.mark.production
def test_honest_workers_are_left_alone(competition, bots):
    store(competition, bots, 400)
    watching.tick()
    assert not OddWorker.objects.exists()


@pytest.mark.parametrize("workers", [FOUR[:2], FOUR[:1]], ids=["two", "one"])
def test_where_fewer_than_two_others_would_be_left_no_worker_is_parked(competition, bots, workers):
    store(competition, bots, 400, workers=workers, slow=workers[:1])
    watching.tick()
    assert {odd.state for odd in OddWorker.objects.all()} == ({"reported"} if len(workers) > 1 else set())
    assert not parking.is_parked(f"{workers[0]}:1")


def test_workers_that_have_not_played_for_an_hour_do_not_count_as_left(competition, bots):
    store(competition, bots, 400, slow=FOUR[:1])
    gone = Match.objects.exclude(worker__startswith=FOUR[0]).exclude(worker__startswith=FOUR[1])
    gone.update(started=now() - timedelta(hours=2))
    watching.tick()
    assert OddWorker.objects.get().state == WorkerState.REPORTED


def test_at_most_half_of_the_workers_are_parked(competition, bots):
    six = [f"host:core{number}" for number in range(6)]
    for place in six[3:]:
        parking.record_finding(place, competition, parking.StoredReason("slow"), park=True)
    store(competition, bots, 400, workers=six[:3], slow=six[:1])
    watching.tick()
    assert OddWorker.objects.get(worker=six[0]).state == WorkerState.REPORTED


def test_rows_of_workers_that_are_gone_keep_no_worker_from_being_parked(competition, bots):
    """Machines that were replaced, and containers that got other names."""
    gone = [f"old{number}:core0" for number in range(5)]
    for place in gone:
        parking.record_finding(place, competition, parking.StoredReason("slow"), park=True)
    OddWorker.objects.update(seen=now() - timedelta(hours=2))
    OddWorker.objects.filter(worker=gone[0]).update(seen=None)
    store(competition, bots, 400, slow=FOUR[:1])
    watching.tick()
    assert OddWorker.objects.get(worker=FOUR[0]).state == WorkerState.PARKED


def test_a_parked_worker_that_asks_for_matches_counts_whenever_it_was_parked(competition, bots):
    """So at most half of the workers that are there are parked."""
    six = [f"host:core{number}" for number in range(6)]
    for place in six[3:]:
        parking.record_finding(place, competition, parking.StoredReason("slow"), park=True)
    OddWorker.objects.update(found=now() - timedelta(days=9), seen=now() - timedelta(days=9))
    for place in six[3:]:
        assert parking.is_parked(f"{place}:1")
    store(competition, bots, 400, workers=six[:3], slow=six[:1])
    watching.tick()
    assert OddWorker.objects.get(worker=six[0]).state == WorkerState.REPORTED


def test_a_worker_whose_container_is_made_anew_stays_parked(competition, monkeypatch, settings):
    """Its host name and its process are others then."""
    settings.AGON_MACHINE = "main"
    monkeypatch.setenv("AGON_CORE", "2")
    parking.record_finding("main:core2", competition, parking.StoredReason("slow"), park=True)
    for container in ("4f1c0a", "99be21"):
        monkeypatch.setattr("socket.gethostname", lambda container=container: container)
        assert parking.is_parked(Worker().name)
    settings.AGON_MACHINE = "second"
    assert not parking.is_parked(Worker().name)


@pytest.mark.parametrize(("given", "machine"), [("main", "main"), ("a:b", "a-b"), ("x" * 99, "x" * 60)])
def test_the_machine_has_the_name_that_its_operator_gave(given, machine):
    code = "from django.conf import settings; print(settings.AGON_MACHINE)"
    environment = {**os.environ, "AGON_MACHINE": given, "DJANGO_SETTINGS_MODULE": "agon.site.settings"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert ran.stdout.strip() == machine


def test_the_deployment_gives_each_machine_a_name():
    compose = (ROOT / "docker-compose.yml").read_text()
    assert "AGON_MACHINE: ${MACHINE:-main}" in compose


@pytest.mark.parametrize(("house", "parked"), [(False, 0), (True, 1)], ids=["theirs", "the site's"])
def test_the_bots_of_one_author_park_no_worker(competition, user, house, parked):
    bots = activate(user, competition, ["Ann", "Ben", "Cid", "Dot"])
    user.bots.update(house=house)
    store(competition, bots, 400, slow=FOUR[:1])
    watching.tick()
    assert OddWorker.objects.count() == parked


def test_times_of_a_worker_without_a_core_of_its_own_are_not_compared(competition, bots):
    store(competition, bots, 400, workers=[*FOUR, "host:shared"], slow=["host:shared"], factor=3.0)
    watching.tick()
    assert not OddWorker.objects.exists()


def test_it_looks_once_an_hour_and_only_at_news(competition, bots):
    store(competition, bots, 40)
    watching.tick()
    store(competition, bots, 400, slow=FOUR[:1])
    watching.tick()
    assert Watch.objects.get().looks == 1
    assert not OddWorker.objects.exists()

    Watch.objects.update(looked=now() - watching.EVERY)
    watching.tick()
    assert Watch.objects.get().looks == 2
    assert OddWorker.objects.get().worker == FOUR[0]

    Watch.objects.update(looked=now() - watching.EVERY)
    watching.tick()
    assert Watch.objects.get().looks == 2, "nothing was played since"


def test_after_its_release_only_new_matches_are_evidence(competition, bots):
    store(competition, bots, 400, slow=FOUR[:1])
    watching.examine(competition)
    parking.release(OddWorker.objects.get())
    store(competition, bots, 200)
    watching.examine(competition)
    assert OddWorker.objects.get().state == WorkerState.RELEASED

    store(competition, bots, 900, slow=FOUR[:1])
    watching.examine(competition)
    assert [odd.state for odd in OddWorker.objects.order_by("pk")] == ["released", "parked"]


def test_matches_whose_records_were_removed_are_no_evidence(competition, bots):
    store(competition, bots, 400, slow=FOUR[:1])
    Recording.objects.all().delete()
    watching.examine(competition)
    assert not OddWorker.objects.exists()


def test_operators_list_and_release_workers_on_the_command_line(competition, bots):
    assert run("odd_workers") == "no worker played differently from the others\n"
    store(competition, bots, 400, slow=FOUR[:1])
    watching.examine(competition)
    shown = run("odd_workers")
    assert shown.startswith("host:core0: parked since ")
    assert "samurai: Answers take 1.3" in shown
    assert shown.splitlines()[1].split()[1:4] == ["1", "5", "9"]
    with pytest.raises(CommandError, match=r"--release: expected .* \(host:core0\), got core0"):
        run("odd_workers", "--release", "core0")
    with pytest.raises(CommandError, match=r"--why: expected 1 to .* characters, got 0"):
        run("odd_workers", "--release", "host:core0", "--why", " ")
    assert parking.is_parked(f"{FOUR[0]}:1")
    released = run("odd_workers", "--release", "host:core0", "--why", "its fan was mended")
    assert released == "host:core0 is released\n"
    assert Act.objects.get(verb=Verb.RELEASE_WORKER).reason == "its fan was mended"
    assert not parking.is_parked(f"{FOUR[0]}:1")


def test_operators_list_and_release_workers_in_the_admin(competition, bots, client):
    store(competition, bots, 400, slow=FOUR[:1])
    watching.examine(competition)
    odd = OddWorker.objects.get()
    client.force_login(User.objects.create_superuser("operator", password="correct horse battery"))
    listed = client.get("/admin/fleet/oddworker/").content.decode()
    assert "/admin/matches/match/?worker__startswith=host%3Acore0%3A" in listed
    its_matches = client.get("/admin/matches/match/?worker__startswith=host%3Acore0%3A").content.decode()
    assert "100 matches" in its_matches
    assert 'href="/matches/1/"' in client.get(f"/admin/fleet/oddworker/{odd.pk}/change/").content.decode()

    sent = {"action": "release", "_selected_action": [odd.pk], "why": "its fan was replaced"}
    answer = client.post("/admin/fleet/oddworker/", sent, follow=True).content.decode()
    assert "1 worker released." in answer
    odd.refresh_from_db()
    assert odd.state == WorkerState.RELEASED
    assert LogEntry.objects.get().change_message == "Released."


def test_a_worker_names_its_machine_its_core_and_its_process():
    assert worker_names.name("host", "3", 17) == "host:core3:17"
    assert worker_names.name("host", None, 17) == "host:shared:17"
    assert worker_names.place_of("host:core3:17") == "host:core3"


def run(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_after_a_restart_many_competitions_do_not_hold_up_a_sweep(db):
    for number in range(3):
        Competition.objects.create(slug=f"cup-{number}", game="samurai", title="Cup")
    for looked in (2, 3, 3):
        watching.tick()
        assert Watch.objects.exclude(looked=None).count() == looked
