"""What an archive holds, as a folder and as a zip."""

import csv
import hashlib
import io
import json
import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.contest import formats
from agon.contest.archive.manifest import Absent, Fate
from agon.contest.archive.reader import open_files
from agon.contest.archive.verify import verify
from agon.contest.archive.writer import BadFolder, safe_name, write_zip
from agon.contest.archive.zip_writer import ZipWriter
from games.core.record import from_json
from games.core.replay import log_of
from tests.support.folders import write_folder


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_an_archive_has_a_record_its_times_a_log_a_seat_and_the_games_own_files(coup_archive):
    listed = sorted(path for path in files_of(coup_archive) if path.startswith("matches/1/"))
    assert listed == [
        "matches/1/0-Random.stderr",
        "matches/1/1-Лиса.stderr",
        "matches/1/Random_Лиса_0_1.txt",
        "matches/1/record.json",
        "matches/1/times.json",
    ]
    log = log_of((coup_archive / "matches/1/record.json").read_bytes())
    history = "".join(exchange.reply["appended"] for exchange in log.exchanges)
    assert (coup_archive / "matches/1/Random_Лиса_0_1.txt").read_text() == history
    assert (coup_archive / "matches/1/1-Лиса.stderr").read_text() == "Лиса was here\n"


def test_history_files_are_named_as_the_original_arbiter_named_them(tournament, tmp_path):
    write_folder(tmp_path / "a", *tournament("coup", 3, rounds=2))
    assert (tmp_path / "a/matches/6/Random_Taxman_1_0.txt").is_file()
    assert (tmp_path / "a/matches/11/Лиса_Taxman_1_5.txt").is_file()


def test_the_manifest_lists_size_and_sha256_of_every_other_file(coup_archive):
    files = files_of(coup_archive)
    sums = files.pop("SHA256SUMS").decode()
    manifest = json.loads(files.pop("manifest.json"))
    assert sums.count("\n") == len(files) + 1
    assert manifest["files"] == {
        path: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for path, data in files.items()
    }
    assert (manifest["game"], manifest["format"], manifest["rounds"]) == ("coup", "round_robin", 1)
    assert (manifest["seed"], manifest["points"]) == (100, "score")
    assert [entrant["name"] for entrant in manifest["entrants"]] == ["Random", "Taxman", "Лиса"]
    assert [match["seats"] for match in manifest["matches"]] == [
        [0, 1],
        [0, 2],
        [1, 0],
        [1, 2],
        [2, 0],
        [2, 1],
    ]


def test_standings_follow_from_the_records(coup_archive):
    rows = list(csv.DictReader(io.StringIO((coup_archive / "standings.csv").read_text())))
    won = {row["bot"]: 0 for row in rows}
    for path in coup_archive.glob("matches/*/record.json"):
        record = from_json(path.read_bytes())
        for seat, score in zip(record.seats, record.scores, strict=True):
            won[seat.name] += int(score)
    assert {row["bot"]: int(row["points"]) for row in rows} == won
    assert [row["played"] for row in rows] == ["4", "4", "4"]


@pytest.mark.parametrize(("game", "entrants"), [("coup", 4), ("samurai", 5)])
def test_the_zip_holds_what_the_folder_holds_and_both_are_sound(tournament, tmp_path, game, entrants):
    header, matches = tournament(game, entrants)
    write_folder(tmp_path / "folder", header, matches)
    with open(tmp_path / "archive.zip", "w+b") as file:
        write_zip(file, header, iter(matches))
    with zipfile.ZipFile(tmp_path / "archive.zip") as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == files_of(tmp_path / "folder")
    for path in (tmp_path / "folder", tmp_path / "archive.zip"):
        report = verify(path)
        assert (report.differences, report.notes, report.matches) == ((), (), len(matches))


def test_the_zip_is_written_match_by_match(tournament, tmp_path):
    header, matches = tournament("coup", 3)
    sizes = []
    with open(tmp_path / "archive.zip", "w+b") as file:

        def one_by_one():
            for match in matches:
                sizes.append(file.tell())
                yield match

        write_zip(file, header, one_by_one())
    assert sizes == sorted(set(sizes))


def test_the_same_matches_make_the_same_archive(tournament, tmp_path):
    header, matches = tournament("coup", 3)
    write_folder(tmp_path / "a", header, matches)
    write_folder(tmp_path / "b", header, iter(matches))
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_a_folder_that_holds_something_is_left_alone(tournament, tmp_path):
    (tmp_path / "mine.txt").write_text("dear")
    with pytest.raises(BadFolder, match=r"expected a new or empty folder, it holds mine\.txt"):
        write_folder(tmp_path, *tournament("coup", 2))
    assert files_of(tmp_path) == {"mine.txt": b"dear"}
    with pytest.raises(BadFolder, match="Not a directory"):
        write_folder(tmp_path / "mine.txt" / "below", *tournament("coup", 2))


@given(st.text())
def test_every_name_becomes_one_harmless_part_of_a_path(name):
    safe = safe_name(name)
    assert 0 < len(safe.encode()) <= 60
    assert not safe.startswith(".")
    assert not safe.endswith(".")
    assert all(c.isalnum() or c in "-_." for c in safe)


def test_plain_names_stay_as_they_are():
    assert [safe_name(name) for name in ("Taxman", "tit_4-tat.v2", "Лиса", "忍者", "a b/../c", "..")] == [
        "Taxman",
        "tit_4-tat.v2",
        "Лиса",
        "忍者",
        "a_b_.._c",
        "bot",
    ]


def test_an_archive_whose_site_has_lost_many_records_is_read_and_names_each(tournament, tmp_path):
    header, [first, *_] = tournament("coup", 3, rounds=100)
    schedule = formats.schedule(header.format, 3, 2, 100, header.seed)
    lost = [
        Absent(scheduled, Fate.LOST, f"the record of match {scheduled.index} is damaged")
        for scheduled in schedule[1:]
    ]
    write_folder(tmp_path / "a", header, [first, *lost])
    report = verify(tmp_path / "a")
    assert (report.differences, report.matches) == ((), 1)
    assert len(report.notes) == 599
    assert (
        report.notes[-1] == "match 599 was played, but its record is lost: the record of match 599 is damaged"
    )


@pytest.mark.parametrize("files", [0, 1, pytest.param(70_000, marks=pytest.mark.slow)])
def test_a_zip_of_any_number_of_files_is_read_by_others(files, tmp_path):
    path = tmp_path / "a.zip"
    with open(path, "wb") as file:
        out = ZipWriter(file)
        for number in range(files):
            out.add(f"matches/{number}/Лиса", (b"ab", b"%d" % number))
        out.close()
    with zipfile.ZipFile(path) as opened:
        assert len(opened.namelist()) == files
        for number in {0, files // 2, files - 1} & set(range(files)):
            assert opened.read(f"matches/{number}/Лиса") == b"ab%d" % number
    if files:
        with open_files(path) as read:
            assert sum(1 for _ in read.entries()) == files


def test_a_zip_beyond_4_gib_is_read_by_others(tmp_path):
    """A sparse file stands for what was written before."""
    path = tmp_path / "a.zip"
    with open(path, "wb") as file:
        out = ZipWriter(file)
        out.add("first", (b"1",))
        out._offset += 5 << 30
        file.seek(5 << 30, os.SEEK_CUR)
        out.add("last", (b"2",))
        out.close()
    with zipfile.ZipFile(path) as opened:
        assert (opened.read("first"), opened.read("last")) == (b"1", b"2")
    path.unlink()
