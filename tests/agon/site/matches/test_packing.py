"""Recordings move to packs: readers see the same, nothing is lost or doubled, and damage is said."""

import hashlib
import io
import json
import random
import threading
import zipfile
import zlib
from collections import Counter
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.contest.archive.verify import verify
from agon.site.archives import chain, storing
from agon.site.competitions.models import Competition
from agon.site.matches import leases, pack_format, packing, queueing, records
from agon.site.matches.models import Match, Pack, Recording, RemovedRecord
from agon.site.tournaments import scheduling, services
from agon.site.workers import tasks
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db, pytest.mark.production]
LONG_AGO = timedelta(days=3)


@pytest.fixture(autouse=True)
def small_packs(monkeypatch):
    """Packs of 5, and two recordings are worth one."""
    for module, name, value in (
        *((pack_format, "MOST_RECORDINGS", 5), (packing, "MOST_RECORDINGS", 5)),
        (packing, "FEWEST", 2),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def matches(user, competition):
    """Seven rated matches that ended days ago, read as they were before they were packed."""
    four = activate(user, competition, ["A", "B", "C", "D"])
    for _ in range(7):
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
        claimed = leases.claim("w")
        assert leases.finish(claimed, played(claimed, {(2, 1): ("timeout", "no answer within 1000 ms")}))
    Match.objects.update(finished_at=timezone.now() - LONG_AGO)
    return list(Match.objects.order_by("pk"))


@pytest.fixture
def rows(competition):
    """Call it with numbers of places, and there are matches with records of their own at these."""

    def make(number, over=True):
        ended = timezone.now() - LONG_AGO if over else timezone.now()
        common = {"competition": competition, "kind": "ladder", "queue": "bulk", "seed": 1}
        made = [Match(state="finished", finished_at=ended, **common) for _ in range(number)]
        Match.objects.bulk_create(made)
        Recording.objects.bulk_create(
            Recording(match=match, record=zlib.compress(text(match.pk)), times=zlib.compress(b"{}"))
            for match in made
        )
        return [match.pk for match in made]

    return make


def text(number):
    """The record of this match: no two are alike."""
    return b'{"n":%d,"of":"%s"}' % (number, hashlib.sha256(b"%d" % number).hexdigest().encode())


def everything(match):
    match = Match.objects.get(pk=match.pk)
    return records.record_json(match), records.times_json(match), records.files(match), records.log(match)


def fetched(match):
    return [Client().get(f"{match.get_absolute_url()}{file}").content for file in ("record.json", "log.json")]


def places():
    """How often each match has a recording, as a row or in a pack."""
    counted = Counter(Recording.objects.values_list("pk", flat=True))
    for pack in Pack.objects.all():
        counted.update(packing.opened(pack).matches)
    return counted


def assert_all_are_there(numbers):
    assert places() == Counter(numbers)
    for match in Match.objects.filter(pk__in=numbers):
        assert records.record_json(match) == text(match.pk)
    read = {match.pk: records.record_json(match) for match in records.of_many(Match.objects.order_by("-pk"))}
    assert read == {number: text(number) for number in numbers}


def test_all_that_is_read_of_a_packed_match_is_as_it_was(matches):
    before = [everything(match) for match in matches]
    downloads = [fetched(match) for match in matches[::3]]
    held = Match.objects.get(pk=matches[0].pk)

    packing.pack_settled()

    assert (Recording.objects.count(), Pack.objects.count()) == (0, 2)
    assert [everything(match) for match in matches] == before
    assert records.record_json(held) == before[0][0]  # it was read while its recording moved
    assert [fetched(match) for match in matches[::3]] == downloads
    assert "no longer in storage" not in Client().get(matches[0].get_absolute_url()).content.decode()
    tasks.pack_records()
    assert [everything(match) for match in matches] == before


def test_many_are_packed_a_few_at_a_time(rows):
    numbers = rows(30)
    assert packing.pack_settled(0) == 0
    assert_all_are_there(numbers)
    assert packing.pack_settled(60) == 30


def test_what_is_not_over_for_a_day_is_not_packed_nor_one_alone(rows):
    rows(4, over=False)
    rows(1)
    packing.pack_settled()
    assert Pack.objects.count() == 0


def test_a_reader_of_many_reads_each_pack_once(rows):
    rows(23)
    packing.pack_settled()
    with CaptureQueriesContext(connection) as captured:
        assert sum(1 for match in records.of_many(Match.objects.order_by("pk")) if records.record_json(match))
    asked = [query["sql"] for query in captured if 'FROM "matches_pack"' in query["sql"]]
    assert len(asked) == Pack.objects.count() == 5


@pytest.mark.exhaustive
def test_in_whatever_order_matches_end_each_is_packed_once(rows, user):
    """Those that end late belong between others that are packed, and packs are divided for them."""
    draw = random.Random(7)
    numbers = rows(40, over=False)
    elsewhere = Competition.objects.create(slug="other", game="honest_rps", title="Other")
    Match.objects.filter(pk__in=numbers[::4]).update(competition=elsewhere)
    left = numbers.copy()
    while left:
        some = draw.sample(left, min(len(left), draw.choice((2, 3, 11))))
        left = [number for number in left if number not in some]
        Match.objects.filter(pk__in=some).update(finished_at=timezone.now() - LONG_AGO)
        packing.pack_settled()
        assert_all_are_there(numbers)
    assert Recording.objects.count() < 12
    assert all(len(packing.opened(pack).matches) <= 5 for pack in Pack.objects.all())


def test_a_process_that_is_killed_has_moved_a_pack_or_nothing(rows, monkeypatch):
    numbers = rows(12)
    saved = []

    def dies(pack, new_packs):
        write(pack, new_packs)
        saved.append(new_packs)
        if len(saved) == 2:
            raise KeyboardInterrupt

    write = packing._save
    monkeypatch.setattr(packing, "_save", dies)
    with pytest.raises(KeyboardInterrupt):
        packing.pack_settled()
    assert_all_are_there(numbers)
    packing.pack_settled()
    assert_all_are_there(numbers)
    assert Recording.objects.count() == 0


def test_what_changes_between_compressing_and_moving_is_left_for_the_next_time(rows, monkeypatch):
    numbers = rows(5)
    changed = zlib.compress(text(numbers[1])[:-1] + b',"new":1}')
    lock = packing._lock

    def late(competition):
        lock(competition)
        Recording.objects.filter(pk=numbers[1]).update(record=changed)

    monkeypatch.setattr(packing, "_lock", late)
    packing.pack_settled()
    assert Pack.objects.count() == 0
    packing.pack_settled()
    assert b'"new":1' in records.record_json(Match.objects.get(pk=numbers[1]))
    assert places() == Counter(numbers)


def test_records_that_are_kept_no_longer_leave_their_packs(matches, competition):
    digests = [hashlib.sha256(records.record_json(match)).hexdigest() for match in matches]
    packing.pack_settled()
    Match.objects.filter(pk__in=[match.pk for match in matches[2:4]]).update(finished_at=timezone.now())
    competition.keep_days = 2
    competition.save()

    tasks.remove_old_records()

    assert places() == Counter(match.pk for match in matches[2:4])
    assert sorted(RemovedRecord.objects.values_list("match", "digest")) == sorted(
        (match.pk, digest)
        for match, digest in zip(matches, digests, strict=True)
        if match not in matches[2:4]
    )
    gone, kept = (Client().get(match.get_absolute_url()).content.decode() for match in matches[1:3])
    assert "was removed; its result stays" in gone
    assert "was removed" not in kept
    Match.objects.update(finished_at=timezone.now() - LONG_AGO)
    tasks.remove_old_records()
    assert Pack.objects.count() == 0


def test_the_chain_and_the_archive_of_a_tournament_are_made_from_packs(user, competition, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    four = activate(user, competition, ["A", "B", "C", "D"])
    cup = services.create(
        user, competition, "Cup", "rotations", 2, 7, [submission.bot for submission in four]
    )
    services.start(cup)
    while match := leases.claim("w"):
        assert leases.finish(match, played(match))
    scheduling.tick()
    cup.refresh_from_db()
    Match.objects.update(finished_at=timezone.now() - LONG_AGO)
    while chain.close_next():
        pass
    packing.pack_settled()
    assert places() == Counter(cup.matches.values_list("pk", flat=True))
    assert list(chain.check()) == []
    storing.make(cup)
    data = b"".join(Client().get(f"/tournaments/{cup.pk}/archive").streaming_content)
    (tmp_path / "cup.zip").write_bytes(data)
    assert json.loads(zipfile.ZipFile(io.BytesIO(data)).read("manifest.json"))["absent"] == []
    report = verify(tmp_path / "cup.zip")
    assert (report.matches, report.differences) == (cup.matches.count(), ())


def test_logs_are_stored_with_packed_recordings(matches, capsys, monkeypatch):
    monkeypatch.setattr(pack_format, "MOST_BYTES", 20_000)  # logs are long: the packs are divided
    before = [Client().get(f"{match.get_absolute_url()}log.json").content for match in matches]
    packing.pack_settled()
    for _ in range(2):
        call_command("store_logs", "samurai")
    assert capsys.readouterr().out == "logs stored: 7\nlogs stored: 0\n"
    assert places() == Counter(match.pk for match in matches)
    assert all(records.has_log(match) for match in Match.objects.all())
    assert [Client().get(f"{match.get_absolute_url()}log.json").content for match in matches] == before


@pytest.mark.first(1)
@pytest.mark.parametrize("part", ["contents", "record", "times"])
def test_no_damaged_byte_of_a_pack_gives_a_wrong_text(rows, part):
    numbers = rows(3)
    packing.pack_settled()
    pack = Pack.objects.get()
    whole = bytes(getattr(pack, part))
    for place in range(len(whole)):
        harmed = whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :]
        Pack.objects.update(**{part: harmed})
        match = Match.objects.get(pk=numbers[place % 3])
        try:
            read = records.record_json(match), records.times_json(match)
        except FileNotFoundError:
            read = (None, b"")
        assert read[0] == text(match.pk) or (read[0] is None and part != "times")
        assert read[1] in (b"{}", b"")


def test_a_damaged_pack_is_said_and_kept_and_what_comes_later_is_not_lost(rows, competition):
    numbers = rows(3)
    packing.pack_settled()
    Pack.objects.update(record=b"garbage")
    match = Match.objects.get(pk=numbers[0])
    assert Client().get(f"{match.get_absolute_url()}record.json").status_code == 404
    assert "no longer in storage" in Client().get(match.get_absolute_url()).content.decode()
    later = rows(2)
    packing.pack_settled()
    packing.remove(competition.pk, numbers)
    assert bytes(Pack.objects.get().record) == b"garbage"
    assert records.record_json(Match.objects.get(pk=later[1])) == text(later[1])


def test_a_damaged_recording_stays_as_it_is(rows):
    numbers = rows(4)
    Recording.objects.filter(pk=numbers[2]).update(times=b"garbage")
    packing.pack_settled()
    assert list(Recording.objects.values_list("pk", flat=True)) == [numbers[2]]
    assert records.times_json(Match.objects.get(pk=numbers[2])) == b""
    assert records.record_json(Match.objects.get(pk=numbers[2])) == text(numbers[2])


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_that_pack_one_that_removes_and_readers_at_once(rows):
    if connection.vendor != "postgresql":
        pytest.skip("a database in memory has one connection")
    numbers = rows(150)
    removed, kept = numbers[::10], [number for number in numbers if number % 10 != numbers[0] % 10]
    competition = Match.objects.get(pk=numbers[0]).competition_id
    failed = []
    done = threading.Event()

    def alone(do):
        try:
            do()
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    def read():
        while not done.is_set():
            for match in Match.objects.filter(pk__in=random.sample(kept, 20)):
                assert records.record_json(match) == text(match.pk)

    def remove():
        for number in removed:
            packing.remove(competition, [number])

    writers = [threading.Thread(target=alone, args=[do]) for do in (packing.pack_settled,) * 2 + (remove,)]
    readers = [threading.Thread(target=alone, args=[read]) for _ in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert failed == []
    packing.pack_settled()
    assert places() == Counter(kept)
