"""All matches of a competition as data: what is in it and what is not, nights, and what goes wrong."""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zlib
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from arro3.io import read_parquet
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from agon.contest.archive.signature import new_key
from agon.site.archives import exporting, parquet
from agon.site.archives.export_rows import MatchRow
from agon.site.archives.models import Export, ExportFile
from agon.site.competitions.models import Competition
from agon.site.core import disk_space
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from agon.site.workers import archiving, retention
from tests.support.factories import activate, duel
from tests.support.processes import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture(autouse=True)
def key(settings):
    settings.ARCHIVE_KEY = new_key()
    settings.SITE_URL = "http://testserver"


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bots(user, rps):
    return activate(user, rps, ["Ada", "Лиса"])


def play() -> list[Match]:
    matches = []
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, duel(match, ["Ada", "Лиса"]))
        matches.append(Match.objects.get(pk=match.pk))
    return matches


def ladder(bots, number: int = 1) -> list[Match]:
    for _ in range(number):
        queueing.queue(bots[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, bots)
    return play()


def days_later(days: float = 1) -> None:
    """As if all matches had ended so many of the exports' days earlier (a day begins at 2:00)."""
    earlier = timedelta(days=days) + exporting.NIGHT
    for match in Match.objects.exclude(finished_at=None):
        Match.objects.filter(pk=match.pk).update(finished_at=match.finished_at - earlier)


def night() -> None:
    """Forget that this night's export was made, and make it."""
    Export.objects.update(day=None)
    assert exporting.make_next()
    assert not exporting.make_next()


def listed() -> dict:
    answer = Client().get("/api/v1/competitions/rps/data").json()
    return {file["name"]: file for file in answer["files"]}


def fetched(name: str) -> bytes:
    response = Client().get(f"/c/rps/data/{name}")
    assert response.status_code == 200, name
    data = b"".join(response.streaming_content)
    assert response["ETag"] == f'"{hashlib.sha256(data).hexdigest()}"'
    return data


def table(kind: str) -> list[dict]:
    rows = []
    for name in listed():
        if name.startswith(kind):
            batches = read_parquet(io.BytesIO(fetched(name)))
            for batch in batches:
                columns = {field: batch[field].to_pylist() for field in batch.schema.names}
                rows += [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows


def test_tables_and_records_are_what_was_played_and_the_manifest_is_signed(bots, tmp_path):
    matches = ladder(bots, 3)
    days_later()
    night()
    [first, *_] = table("matches")
    assert {row["id"] for row in table("matches")} == {match.pk for match in matches}
    assert first["seed"] == str(matches[0].seed)
    assert (first["tournament"], first["seats"], first["kind"]) == (None, 2, "ladder")
    assert [(row["bot"], row["rank"], row["won"]) for row in table("seats")] == [
        ("Ada", 1, True),
        ("Лиса", 2, False),
    ] * 3
    ratings = {row["bot"]: row for row in table("ratings")}
    assert (ratings["Ada"]["played"], ratings["Ada"]["won"], ratings["Лиса"]["won"]) == (3, 3, 0)
    [records] = [name for name in listed() if name.startswith("records")]
    lines = [json.loads(line) for line in gzip.decompress(fetched(records)).splitlines()]
    for line, match in zip(lines, matches, strict=True):
        assert line["match"] == match.pk
        assert line["record"] == Client().get(f"/matches/{match.pk}/record.json").json()

    manifest = json.loads(fetched("manifest.json"))
    assert manifest["schemas"]["matches"]["tournament"] == "int or null"
    for file in manifest["files"]:
        assert hashlib.sha256(fetched(file["name"])).hexdigest() == file["sha256"]
    (tmp_path / "signers").write_bytes(Client().get("/archives/signers").content)
    (tmp_path / "sig").write_bytes(fetched("manifest.json.sig"))
    command = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-f",
        tmp_path / "signers",
        "-I",
        "testserver",
        "-n",
        "agon-data",
    ]
    subprocess.run(
        [*command, "-s", tmp_path / "sig"], input=fetched("manifest.json"), check=True, capture_output=True
    )
    assert Client().get("/c/rps/data/").content.decode().count("/c/rps/data/") >= len(listed())


def test_today_is_not_in_it_and_what_is_unchanged_is_not_made_again(bots, django_capture_on_commit_callbacks):
    ladder(bots)
    assert not exporting.due().exists()
    days_later(40)
    ladder(bots)
    night()
    assert len(table("matches")) == 1
    before = {name: file["sha256"] for name, file in listed().items()}
    kept = ExportFile.objects.get(name__startswith="records").file.name
    days_later(1)
    with django_capture_on_commit_callbacks(execute=True):
        night()
    assert len(table("matches")) == 2
    assert {name for name in listed() if name.startswith("seats")} > {
        n for n in before if n.startswith("seats")
    }
    assert ExportFile.objects.filter(file=kept, staged=False).exists()
    assert not ExportFile.objects.filter(staged=True).exists()
    stored = default_storage.listdir(f"exports/{bots[0].bot.competition_id}")[1]
    assert len(stored) == ExportFile.objects.count()


def test_results_that_are_not_released_are_absent_and_those_taken_back_are_withheld_at_once(user, rps, bots):
    later = Start(release=Tournament.Release.ORGANIZERS)
    cup = services.create(user, rps, "Cup", "round_robin", 1, 1, [bot.bot for bot in bots], starts=later)
    services.start(cup)
    play()
    scheduling.tick()
    ladder(bots)
    days_later()
    night()
    assert {row["kind"] for row in table("matches")} == {"ladder"}
    Tournament.objects.update(release=Tournament.Release.PUBLIC)
    night()
    assert {row["kind"] for row in table("matches")} == {"ladder", "tournament"}
    names = listed()
    Tournament.objects.update(release=Tournament.Release.ORGANIZERS)
    assert listed() == {}
    assert {Client().get(f"/c/rps/data/{name}").status_code for name in names} == {404}
    assert exporting.make_next()
    assert {row["kind"] for row in table("matches")} == {"ladder"}


def test_a_competition_whose_matches_are_not_for_everyone_has_no_files(
    rps, bots, django_capture_on_commit_callbacks
):
    ladder(bots)
    days_later()
    night()
    names = listed()
    Competition.objects.update(records="played")
    assert {Client().get(f"/c/rps/data/{name}").status_code for name in names} == {404}
    assert Client().get("/api/v1/competitions/rps/data").status_code == 404
    assert "not for everyone" in Client().get("/c/rps/data/").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        night()
    assert not ExportFile.objects.exists()
    assert default_storage.listdir(f"exports/{rps.pk}")[1] == []


def test_records_that_are_kept_no_longer_are_absent_and_results_stay(rps, bots):
    ladder(bots, 2)
    days_later(3)
    night()
    Competition.objects.update(keep_days=1)
    retention.remove_expired()
    night()
    [records] = [file for name, file in listed().items() if name.startswith("records")]
    assert (records["rows"], len(table("matches"))) == (0, 2)


def test_damaged_records_cost_no_other_one_and_one_line_in_the_log(bots, caplog):
    """A lost pack holds those of very many matches."""
    *damaged, _other = ladder(bots, 3)
    for match in damaged:
        match.recording.record = zlib.compress(b"nothing")
        match.recording.save()
    days_later()
    night()
    [records] = [file for name, file in listed().items() if name.startswith("records")]
    assert records["rows"] == 1
    [line] = [record.getMessage() for record in caplog.records if "not exported" in record.getMessage()]
    assert line.startswith("records of rps in ")
    assert f": 2, first that of match {damaged[0].pk}: the record of match" in line


def test_a_worker_that_dies_in_the_middle_leaves_the_former_files_and_the_next_goes_on(bots, monkeypatch):
    ladder(bots)
    days_later()
    night()
    former = {name: fetched(name) for name in listed()}
    ladder(bots)
    days_later()
    died = []

    def dies(*_args):
        died.append(True)
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(exporting, "_records", dies)
        Export.objects.update(day=None)
        with pytest.raises(SystemExit):
            exporting.make(bots[0].bot.competition)
    assert died
    assert {name: fetched(name) for name in listed()} == former
    staged = set(ExportFile.objects.filter(staged=True).values_list("pk", flat=True))
    assert staged
    night()
    assert staged <= set(ExportFile.objects.filter(staged=False).values_list("pk", flat=True))
    assert len(table("matches")) == 2


def test_nothing_is_made_on_a_full_disk_and_a_lost_file_is_made_again(bots, monkeypatch):
    ladder(bots)
    days_later()
    with monkeypatch.context() as patch:
        patch.setattr(disk_space, "shortage", lambda: "The disk is full")
        archiving.catch_up()
        assert exporting.make_next() is False
    assert not ExportFile.objects.exists()
    cache.clear()
    archiving.catch_up()
    lost = ExportFile.objects.get(name__startswith="seats")
    default_storage.delete(lost.file.name)
    assert Client().get(f"/c/rps/data/{lost.name}").status_code == 503
    archiving.catch_up()
    assert len(table("seats")) == 2


@pytest.mark.exhaustive
def test_very_many_rows_are_written_without_holding_them(tmp_path):
    when = datetime(2026, 11, 1, tzinfo=timezone.get_current_timezone()).isoformat()
    code = f"""
import resource, django, os
os.environ["DJANGO_SETTINGS_MODULE"] = "agon.site.settings"
django.setup()
from agon.site.archives import parquet
from agon.site.archives.export_rows import MatchRow
def peak(rows):
    with open({str(tmp_path / "t")!r}, "wb") as file:
        made = (MatchRow(i, "ladder", None, 0, 0, str(i * 7919), 2, 9, 0.5, {when!r}) for i in range(rows))
        parquet.write(file, MatchRow, made)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
few = peak(150_000)
print(peak(600_000) - few)
"""
    environment = os.environ | {"AGON_VAR": str(tmp_path / "var")}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 60  # MiB more, for 75 MiB of columns
    assert sum(batch.num_rows for batch in read_parquet(tmp_path / "t")) == 600_000
    assert parquet.described(MatchRow)["seed"] == "str"


@pytest.mark.django_db(transaction=True)
def test_the_programs_of_the_guide_load_it(bots, live_server, settings, tmp_path):
    settings.SITE_URL = live_server.url
    ladder(bots, 2)
    days_later()
    night()
    page = (ROOT / "docs/guides/data.md").read_text()
    environment = os.environ | {"AGON_SITE": live_server.url, "COMPETITION": "rps"}

    def run(*command: str, folder: Path = tmp_path) -> str:
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    downloaded, by_seat, by_bot, records = (
        run(sys.executable, "-c", block) for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    )
    assert "manifest.json" in downloaded
    matches = Match.objects.filter(state="finished").count()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in by_seat.splitlines() if "│" in line]
    assert {tuple(row[:2]) for row in cells} >= {("Ada", "0"), ("Ada", "1"), ("Лиса", "0"), ("Лиса", "1")}
    assert sum(int(row[3]) for row in cells if row[0] == "Ada") == matches
    assert set(by_bot.splitlines()) == {f"Ada {matches} 1.0", f"Лиса {matches} 0.0"}
    assert records.count("honest_rps") == matches

    (tmp_path / "rps" / "signers").write_bytes(Client().get("/archives/signers").content)
    [signature] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    run("sh", "-c", signature.replace("agon.example", "localhost"), folder=tmp_path / "rps")
