"""The chain of results: each day is bound to the one before, and any later change is found."""

import hashlib
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from agon.site.archives import chain, storing
from agon.site.archives.models import Day
from agon.site.audit import acts
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match, Recording
from agon.site.workers import archiving
from games.core.record import from_json, to_json
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db, pytest.mark.production]
DAY = timedelta(days=1)


@pytest.fixture
def history(user, competition):
    """Two matches three days ago, one act and one match yesterday."""
    four = activate(user, competition, ["a", "b", "c", "d"])
    matches = []
    for days in (3, 3, 1):
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four)
        match = leases.claim("w")
        assert leases.finish(match, played(match))
        Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - days * DAY)
        matches.append(match)
    with transaction.atomic():
        act = acts.record(Verb.PAUSE, user, competition, subject="Cup", reason="rain")
    set_act(act, at=timezone.now() - DAY)
    return matches


def set_act(act, **fields):
    """Change an entry as no code of the site can: in the database."""
    with connection.cursor() as cursor:
        for name, value in fields.items():
            cursor.execute(f"UPDATE audit_act SET {name} = %s WHERE id = %s", [value, act.pk])


def close_all(monkeypatch=None):
    closed = []
    while (day := chain.close_next()) is not None:
        closed.append(day)
    return closed


def tomorrow(monkeypatch):
    """Later today no day is closed until its grace is over: look at noon."""
    noon = datetime.combine(timezone.now().date(), datetime.min.time(), UTC) + timedelta(hours=12)
    monkeypatch.setattr(chain.timezone, "now", lambda: noon)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    tomorrow(monkeypatch)


def test_each_day_begins_with_the_digest_of_the_day_before_and_lists_its_records(history, client):
    days = close_all()
    today = timezone.now().date()
    assert [day.date for day in days] == [today - 3 * DAY, today - 2 * DAY, today - DAY]
    assert [(day.matches, day.acts) for day in days] == [(2, 0), (0, 0), (1, 1)]
    previous = "0" * 64
    for day in days:
        text = b"".join(client.get(f"/chain/{day.date}.txt").streaming_content)
        assert hashlib.sha256(text).hexdigest() == day.digest
        assert text.decode().splitlines()[:2] == [f"results of {day.date}", f"previous {previous}"]
        previous = day.digest
    record = client.get(f"{history[2].get_absolute_url()}record.json").content
    assert f"{hashlib.sha256(record).hexdigest()}  matches/{history[2].pk}/record.json\n" in text.decode()
    page = client.get("/chain/").content.decode()
    assert all(day.digest in page for day in days)
    assert chain.head() == {"day": str(days[-1].date), "digest": previous}


def test_a_day_is_closed_once_and_not_before_it_is_over(history, monkeypatch):
    assert len(close_all()) == 3
    assert not chain.is_due()
    last = Day.objects.last()
    midnight = datetime.combine(last.date + 2 * DAY, datetime.min.time(), UTC)
    monkeypatch.setattr(chain.timezone, "now", lambda: midnight + chain.GRACE - timedelta(seconds=1))
    assert chain.close_next() is None
    monkeypatch.setattr(chain.timezone, "now", lambda: midnight + chain.GRACE)
    assert chain.close_next().date == last.date + DAY


def test_a_day_that_cannot_be_closed_keeps_no_archive_from_being_made(history, monkeypatch):
    read = chain.records.record_json

    def fail(match):
        raise OSError("the storage is away")

    monkeypatch.setattr(chain.records, "record_json", fail)
    asked: list[object] = []
    monkeypatch.setattr(storing, "make_next", lambda: asked.append(True))
    archiving.catch_up()
    assert len(asked) == 1
    monkeypatch.setattr(chain.records, "record_json", read)
    assert close_all() == []  # not at once
    cache.clear()
    assert len(close_all()) == 3


def test_a_day_that_another_worker_closes_meanwhile_is_not_closed_twice(history, monkeypatch):
    is_due = chain.is_due

    def overtaken():
        monkeypatch.setattr(chain, "is_due", is_due)
        return is_due() and len(close_all()) == 3

    monkeypatch.setattr(chain, "is_due", overtaken)
    assert close_all() == []
    assert list(chain.check()) == []


def test_an_untouched_chain_is_checked(history, capsys):
    close_all()
    call_command("check_chain")
    assert f"days checked: 3; the chain ends with {Day.objects.last()}" in capsys.readouterr().out


def forge_record(history):
    recording = Recording.objects.get(match=history[0])
    record = from_json(zlib.decompress(recording.record))
    forged = to_json(record).replace('"scores":["', '"scores":["9')
    Recording.objects.filter(match=history[0]).update(record=zlib.compress(forged.encode()))


def forge_stored_text(history):
    lines = Day.objects.first().lines
    with open(lines.path, "ab") as text:
        text.write(b"x")


TAMPERINGS = {
    "a record": (forge_record, 3, "line 3: was "),
    "a match less": (lambda history: history[1].delete(), 3, "line 4: was "),
    "a match moved": (
        lambda history: Match.objects.filter(pk=history[2].pk).update(finished_at=timezone.now() - 3 * DAY),
        3,
        "line 5: was nothing",
    ),
    "a lost record": (lambda history: Recording.objects.get(match=history[0]).delete(), 3, "line 3: was "),
    "an act": (lambda history: set_act(Act.objects.get(), reason="sun"), 1, "line 4: was "),
    "a stored text": (forge_stored_text, 3, "the stored text"),
    "a digest": (
        lambda history: Day.objects.filter(matches=2).update(digest="0" * 64),
        3,
        "digest is not",
    ),
    "a day": (lambda history: Day.objects.filter(matches=0).delete(), 1, "expected"),
}


@pytest.mark.first(2)
@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_any_later_change_is_found_and_named(tampering, history, capsys):
    close_all()
    tamper, days_ago, words = TAMPERINGS[tampering]
    tamper(history)
    with pytest.raises(CommandError) as refused:
        call_command("check_chain")
    assert refused.value.returncode == 1
    said = capsys.readouterr().out.splitlines()
    day = timezone.now().date() - days_ago * DAY
    assert any(line.startswith(f"{day}: ") and words in line for line in said), said


def test_a_site_on_which_nothing_has_happened_has_no_chain(db):
    assert (chain.close_next(), chain.head()) == (None, {})
    assert "The first day has not ended yet." in Client().get("/chain/").content.decode()
