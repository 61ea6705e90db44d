"""Each failed attempt at a match is kept: on its page, in archives, in the day's chain; details for staff."""

import hashlib
import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from agon.contest.archive.verify import verify
from agon.contest.attempts import FailureKind
from agon.site.accounts.models import User
from agon.site.archives import chain, storing
from agon.site.bots import reasons
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import ATTEMPTS
from agon.site.core.texts.reasons import TEXTS
from agon.site.matches import attempts, leases, queueing
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import State
from agon.site.tournaments import reruns, scheduling, services
from agon.site.tournaments.reruns import Choice
from agon.site.use_cases import leaving_play
from tests.support.factories import activate, duel
from tests.support.reasons import said

pytestmark = [pytest.mark.production, pytest.mark.django_db]

PATHS = (
    "/var/lib/agon/artifacts/0000.tar: No space left on device",
    "no Docker engine answers at /var/run/docker.sock: refused",
    "samurai: /srv/agon/games/samurai/referee.py, line 7: KeyError",
    "internal error (OperationalError); see the log at /var/log/agon",
)


@pytest.fixture
def boss():
    return User.objects.create_superuser("boss")


@pytest.fixture
def rps():
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def two(user, rps):
    return activate(user, rps, ["Ann", "Ben"])


@pytest.fixture
def queued(rps, two):
    return queueing.queue(rps, Match.Kind.LADDER, Match.Queue.BULK, two)


def page(match, client=None):
    return (client or Client()).get(match.get_absolute_url()).content.decode()


def expire(match):
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert leases.give_back_expired() == 1


def test_a_failure_that_a_worker_reports_is_kept_with_seats_worker_and_times(queued):
    claimed = leases.claim("alpha:core1:77")
    assert leases.fail(claimed, said("why"), kind=FailureKind.BUSY, asked=(1,))
    [kept] = queued.failed_attempts.all()
    assert (kept.kind, kept.asked, kept.worker) == ("busy", [1], "alpha:core1:77")
    assert kept.started == claimed.started <= kept.ended <= timezone.now()
    assert Match.objects.get().state == State.QUEUED


def test_and_one_that_nobody_reports_because_the_worker_died(queued):
    expire(leases.claim("alpha:core1:77"))
    [kept] = queued.failed_attempts.all()
    assert (kept.kind, kept.asked, kept.worker) == ("worker", [], "alpha:core1:77")


def test_each_attempt_at_a_match_that_is_void_in_the_end_is_kept(queued):
    for number in range(ATTEMPTS):
        claimed = leases.claim(f"host:core{number}:1")
        if number == 1:
            expire(claimed)
        else:
            assert leases.fail(claimed, said("why"), kind=FailureKind.BOX, asked=(number % 2,))
    assert Match.objects.get().state == State.VOID
    kept = queued.failed_attempts.values_list("kind", "asked", "worker")
    assert list(kept) == [
        ("box", [0], "host:core0:1"),
        ("worker", [], "host:core1:1"),
        ("box", [0], "host:core2:1"),
    ]


def test_the_attempt_is_kept_if_the_match_is_withdrawn_then(queued, two, boss):
    claimed = leases.claim("w")
    leaving_play.stop(two[0].bot, boss, reasons.stopped("it cheats"))
    assert leases.fail(claimed, said("why"), kind=FailureKind.BOX)
    assert Match.objects.get().state == State.WITHDRAWN
    assert FailedAttempt.objects.get().kind == "box"


def test_a_match_that_cannot_be_queued_again_keeps_no_attempt_either(queued, monkeypatch):
    """Both are written in one transaction."""
    claimed = leases.claim("w")

    def broken(*args):
        raise DatabaseError("connection lost")

    monkeypatch.setattr(leases, "_next_seed", broken)
    with pytest.raises(DatabaseError):
        leases.fail(claimed, said("why"))
    assert Match.objects.get().state == State.RUNNING
    assert not FailedAttempt.objects.exists()


def test_who_no_longer_holds_the_match_adds_no_attempt(queued):
    first = leases.claim("slow")
    expire(first)
    assert not leases.fail(first, said("late"), kind=FailureKind.BOX)
    assert [failed_attempt.kind for failed_attempt in FailedAttempt.objects.all()] == ["worker"]


def test_the_page_says_what_failed_whom_it_waited_for_and_where(queued):
    leases.fail(leases.claim("alpha:core1:77"), said(PATHS[0]), kind=FailureKind.BOX, asked=(1,))
    match = leases.claim("beta:core0:5")
    leases.finish(match, duel(match, ["Ann"]))
    shown = page(queued)
    table = shown[shown.index('id="attempts-title"') :].partition("</table>")[0]
    assert "the box of a bot was lost" in table
    assert "<td>Ben</td>" in table
    assert "<td>alpha:core1</td>" in table
    assert ":77" not in table, "the number of a process says nothing"


def test_a_match_without_failures_shows_no_such_table(queued):
    match = leases.claim("w")
    leases.finish(match, duel(match, ["Ann"]))
    assert "attempts-title" not in page(queued)


@pytest.mark.first(1)
@pytest.mark.parametrize("details", PATHS)
def test_the_public_reads_no_path_of_the_host_and_staff_does(queued, boss, details):
    for _ in range(ATTEMPTS):
        leases.fail(leases.claim("w"), said(details), kind=FailureKind.SANDBOX)
    shown = page(queued)
    assert "the worker had no working sandbox" in shown
    for secret in ("/var", "/srv", details.replace("'", "&#x27;")):
        assert secret not in shown
    staff = Client()
    staff.force_login(boss)
    for_staff = staff.get(f"/admin/matches/match/{queued.pk}/change/").content.decode()
    assert details.replace("'", "&#x27;") in for_staff


def test_every_kind_of_failure_has_words_for_everyone():
    assert [kind for kind in FailureKind if attempts.reason_of(kind).code not in TEXTS] == []


@pytest.fixture
def cup(boss, rps, two):
    """A round robin of two matches: one played at its second attempt, one void."""
    cup = services.create(
        boss, rps, "Autumn Cup", "round_robin", 1, 1, [submission.bot for submission in two]
    )
    services.start(cup)
    first = leases.claim("alpha:core1:77")
    leases.fail(first, said(PATHS[0]), kind=FailureKind.BOX, asked=(1,))
    while (match := leases.claim("beta:core0:5")) is not None:
        if match.pk == first.pk:
            leases.finish(match, duel(match, ["Ann"]))
        else:
            leases.fail(match, said(PATHS[1]), kind=FailureKind.BUSY, asked=(0,))
    scheduling.tick()
    return cup


def unpacked(address, folder):
    while storing.make_next():
        pass
    with zipfile.ZipFile(io.BytesIO(b"".join(Client().get(address).streaming_content))) as packed:
        packed.extractall(folder)
    return folder


def test_archives_of_tournaments_and_of_matches_list_the_attempts_and_are_sound(cup, tmp_path):
    played = cup.matches.get(state=State.FINISHED)
    folder = unpacked(f"/tournaments/{cup.pk}/archive", tmp_path / "cup")
    manifest = json.loads((folder / "manifest.json").read_text())
    [failed] = manifest["matches"][0]["failed"]
    kept = played.failed_attempts.get()
    assert failed == {
        "asked": [1],
        "kind": "box",
        "worker": "alpha:core1",
        "started": kept.started.isoformat(),
        "ended": kept.ended.isoformat(),
    }
    [void] = manifest["absent"]
    assert [(failure["kind"], failure["asked"]) for failure in void["failed"]] == [("busy", [0])] * ATTEMPTS
    assert void["reason"] == "the machine was too busy"
    assert not any(path.split(":")[0] in json.dumps(manifest) for path in PATHS)
    report = verify(folder)
    assert report.differences == ()
    assert "attempts that failed, of 2 matches: 1 box, 3 busy" in report.notes
    match_folder = unpacked(f"/matches/{played.pk}/archive", tmp_path / "one")
    assert json.loads((match_folder / "manifest.json").read_text())["matches"][0]["failed"] == [failed]
    assert verify(match_folder).sound


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"asked": [2]}, "matches[0].failed[0].asked: expected a whole number from 0 to 1"),
        ({"asked": [0, 1, 0]}, "matches[0].failed[0].asked: expected a list of at most 2 seats"),
        ({"kind": "bribed"}, "matches[0].failed[0].kind: expected one of box, busy"),
        ({"worker": 7}, "matches[0].failed[0].worker: expected a short text"),
    ],
)
def test_an_attempt_that_cannot_be_is_refused(cup, tmp_path, change, words):
    folder = unpacked(f"/tournaments/{cup.pk}/archive", tmp_path / "cup")
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["matches"][0]["failed"][0] |= change
    path.write_text(json.dumps(manifest))
    [difference] = verify(folder).differences
    assert words in difference


def test_the_day_of_the_chain_has_each_attempt_and_shows_a_change(cup, monkeypatch):
    tomorrow = timezone.now().replace(hour=1) + timedelta(days=1)  # after one midnight, at any time of day
    monkeypatch.setattr(chain.timezone, "now", lambda: tomorrow)
    day = None
    while (closed := chain.close_next()) is not None:
        day = closed
    with day.lines.open("rb") as stored:
        text = stored.read().decode()
    for attempt in FailedAttempt.objects.all():
        digest = hashlib.sha256(attempts.public_json(attempt).encode()).hexdigest()
        assert f"{digest}  matches/{attempt.match_id}/failed/{attempt.pk}\n" in text
    assert list(chain.check()) == []
    first = FailedAttempt.objects.first()
    FailedAttempt.objects.filter(pk=first.pk).update(asked=[0])
    [difference] = chain.check()
    assert f"matches/{first.match_id}/failed/{first.pk}" in difference
    FailedAttempt.objects.filter(pk=first.pk).update(asked=[1], details={})
    assert list(chain.check()) == [], "details are for staff"
    first.delete()
    assert len(list(chain.check())) == 1


def test_a_match_that_was_run_again_keeps_the_attempts_of_its_own(cup, boss):
    played = cup.matches.get(state=State.FINISHED)
    rerun = reruns.begin(cup, Choice(numbers=(played.pk,)), boss, "a broken host")
    again = leases.claim("gamma:core0:1")
    leases.fail(again, said("why"), kind=FailureKind.OVERTIME)
    new = rerun.matches.get().new
    assert [failed_attempt.kind for failed_attempt in new.failed_attempts.all()] == ["overtime"]
    assert [failed_attempt.kind for failed_attempt in played.failed_attempts.all()] == ["box"]
