"""What is kept of a match and was lost, or damaged: said where it is missed, and of nothing else is anything
missing.
"""

import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from agon.contest.archive.verify import verify
from agon.site.archives import storing
from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.matches import leases
from agon.site.matches.models import Match, Recording, Stderr
from agon.site.tournaments import services
from agon.site.tournaments.scheduling import tick
from tests.support.factories import played

from .conftest import browser_of

FILES = ("", "?raw=1", "?part=match", "record.json", "log.json", "debug.json", "archive")
FILES += ("files/history.txt", "stderr/0", "embed/", "picture.png")


def recording(**changes):
    return lambda match: Recording.objects.filter(match=match).update(**changes)


def stderr(**changes):
    return lambda match: Stderr.objects.filter(seat__match=match).update(**changes)


def no_recording(match):
    Recording.objects.filter(match=match).delete()


LOST = {
    "no row": no_recording,
    "empty": recording(record=b""),
    "garbage": recording(record=b"garbage"),
    "of an empty text": recording(record=zlib.compress(b"")),
    "of another text": recording(record=zlib.compress(b"[1, 2")),
    "no object": recording(record=zlib.compress(b"null")),
}
BESIDE = {
    "times": recording(times=b"garbage"),
    "times of another text": recording(times=zlib.compress(b"another")),
    "standard error": stderr(data=b"garbage"),
    "where asks begin": stderr(asks=b"garbage"),
    "where asks begin, of another text": stderr(asks=zlib.compress(b"another")),
}
FILES_LOST = {
    "files": recording(files=b"garbage"),
    "files of another text": recording(files=zlib.compress(b"another")),
    "files that are no object": recording(files=zlib.compress(b"[]")),
}


@pytest.fixture
def cup(user, four, settings, tmp_path):
    """A tournament that was played to its end, and whose sources are open."""
    settings.MEDIA_ROOT = tmp_path / "media"
    cup = services.create(user, four[0].bot.competition, "Cup", "rotations", 1, 7, [bot.bot for bot in four])
    services.start(cup)
    while match := leases.claim("w"):
        assert leases.finish(match, played(match))
    tick()
    cup.refresh_from_db()
    cup.sources_open = True
    cup.save()
    assert cup.is_over
    return cup


def archive_of(cup, folder: Path):
    storing.make(cup)
    data = b"".join(Client().get(f"/tournaments/{cup.pk}/archive").streaming_content)
    (folder / "cup.zip").write_bytes(data)
    manifest = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("manifest.json"))
    return manifest, verify(folder / "cup.zip")


def harmed(cup, harm) -> Match:
    match = cup.matches.order_by("index")[1]
    harm(match)
    match = Match.objects.get(pk=match.pk)
    match.save()
    return match


def each_harm(cup, harms) -> Iterator[tuple[str, Match]]:
    """The name of each harm, and the match that it was done to: undone before the next one.

    To play the tournament again for each takes longer than what is then looked at.
    """
    for name, harm in harms.items():
        with transaction.atomic():
            yield name, harmed(cup, harm)
            transaction.set_rollback(True)
        cache.clear()


@pytest.mark.first(1)
@pytest.mark.parametrize("harms", [LOST, BESIDE, FILES_LOST], ids=["record", "beside", "files"])
def test_no_page_breaks(cup, organizer, harms):
    for name, match in each_harm(cup, harms):
        for client in (Client(), browser_of(organizer)):
            pages = {}
            for file in FILES:
                pages[file] = client.get(f"{match.get_absolute_url()}{file}")
                assert pages[file].status_code in (200, 404), (name, file, pages[file].status_code)
            lost = "no longer in storage" in pages[""].content.decode()
            assert lost == (name in LOST), name


def test_an_archive_names_the_match_whose_record_was_lost_and_has_all_others(cup, tmp_path):
    for name, match in each_harm(cup, LOST | FILES_LOST):
        manifest, report = archive_of(cup, tmp_path)
        [absent] = manifest["absent"]
        assert (absent["index"], absent["state"]) == (match.index, "lost"), name
        assert str(match.pk) in absent["reason"], name
        assert report.matches == cup.matches.count() - 1, name
        assert report.differences == (), name


def test_an_archive_has_every_record_although_what_is_kept_beside_one_was_lost(cup, tmp_path):
    for name, _match in each_harm(cup, BESIDE):
        manifest, report = archive_of(cup, tmp_path)
        assert manifest["absent"] == [], name
        assert (report.matches, report.differences) == (cup.matches.count(), ()), name


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", ["archive", "results.csv", "results.jsonl", "results.parquet", "sources"])
@pytest.mark.parametrize("left", [None, 0, -1], ids=["gone", "empty", "cut"])
def test_a_download_that_the_storage_has_lost_is_made_again(cup, kind, left):
    """It was a 404 from then on, or a file that broke off."""
    storing.make(cup)
    address = f"/tournaments/{cup.pk}/{kind}"
    whole = b"".join(Client().get(address).streaming_content)
    path = cup.downloads.get(kind=kind.removeprefix("results.")).file.path
    os.unlink(path)
    if left is not None:
        Path(path).write_bytes(whole[:left])
    answer = Client().get(address)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert storing.make_next()
    assert b"".join(Client().get(address).streaming_content) == whole


def test_the_download_of_standard_error_names_what_was_lost_and_has_all_others(cup, organizer):
    match = harmed(cup, stderr(data=b"garbage"))
    answer = browser_of(organizer).get(f"/tournaments/{cup.pk}/logs.jsonl")
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert len(lines) == 4 * cup.matches.count()
    for line in lines:
        lost = line["match"] == match.index
        assert line["stderr"] == ("" if lost else f"seat {line['seat']} says hello\n")
        assert ("lost" in line) == lost
        assert not lost or f"match {match.pk}" in line["lost"]


def test_the_standard_error_of_one_bot_is_shown_although_that_of_another_was_lost(cup, organizer):
    match = cup.matches.order_by("index")[1]
    Stderr.objects.filter(seat__match=match, seat__number=0).update(data=b"garbage")
    pieces = browser_of(organizer).get(f"{match.get_absolute_url()}debug.json").json()["pieces"]
    assert "seat 1 says hello" in json.dumps(pieces)


def test_pages_of_a_program_that_the_storage_has_lost_are_not_found_and_no_failures(user, competition):
    lost, kept = (receive(user, competition, "Rita", "rita.py", program) for program in (b"1\n", b"2\n"))
    Submission.objects.filter(pk=lost.pk).update(state=State.REPLACED)
    lost.source.storage.delete(lost.source.name)
    browser = browser_of(user)
    pages = [f"{lost.pk}/code/", f"{kept.pk}/diff/", f"{lost.pk}/source"]
    assert [browser.get(f"/submissions/{page}").status_code for page in pages] == [404, 404, 404]
    page = browser.post(f"/submissions/{lost.pk}/restore/", follow=True)
    assert "The program of version 1 is lost. Upload it again." in page.content.decode()
