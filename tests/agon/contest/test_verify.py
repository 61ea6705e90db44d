"""Tampered archives are found, hostile ones are refused in words."""

import dataclasses
import json
import os
import shutil
import struct
import zipfile

import pytest

from agon.contest.archive import reader
from agon.contest.archive.manifest import Absent, Fate
from agon.contest.archive.verify import verify
from agon.contest.archive.writer import archived_match
from agon.contest.formats import SERIES, ScheduledMatch
from games.core.replay import log_of
from tests.support.folders import write_folder

from .forgery import edit_manifest, sign


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def found(path):
    return "\n".join(verify(path).differences)


def test_an_untouched_archive_is_sound_also_when_it_is_signed_again(coup_archive):
    sign(coup_archive)
    report = verify(coup_archive)
    assert (report.sound, report.matches, report.notes) == (True, 6, ())


@pytest.mark.parametrize("name", ["matches/3/1-Лиса.stderr", "standings.csv", "matches/0/record.json"])
def test_every_changed_file_is_named(coup_archive, name):
    with open(coup_archive / name, "ab") as file:
        file.write(b" ")
    assert f"{name}: changed" in found(coup_archive)


@pytest.mark.parametrize("name", ["matches/3/1-Лиса.stderr", "standings.csv", "matches/0/record.json"])
def test_every_missing_file_is_named(coup_archive, name):
    (coup_archive / name).unlink()
    assert f"{name}: missing" in found(coup_archive)


def test_files_that_nobody_listed_are_named(coup_archive):
    (coup_archive / "matches/2/notes.txt").write_text("hello")
    assert found(coup_archive) == "matches/2/notes.txt: not in manifest.json"


def test_files_that_have_no_place_in_an_archive_are_named_even_when_listed(coup_archive):
    (coup_archive / "matches/2/notes.txt").write_text("hello")
    sign(coup_archive)
    assert found(coup_archive) == "matches/2/notes.txt: does not belong in an archive of these matches"


FORGERIES = {
    "scores[0]": lambda record: record["scores"].reverse(),
    "missing: the game goes on": lambda record: record["answers"][0].pop(),
    "the match is over before this answer": lambda record: record["answers"][0].append(
        record["answers"][0][-1]
    ),
    "faults: 1 in the record, 0 when played again": lambda record: record["faults"].append(
        {"seat": 0, "kind": "crash", "step": 99, "code": "exited", "values": {"status": 1}}
    ),
    "frames: no such field": lambda record: record.update(frames=[]),
    "matches/0/record.json: seed: expected": lambda record: record.update(seed=101),
    "game: expected coup, got samurai": lambda record: record.update(game="samurai"),
    "version: this was played under version '9'": lambda record: record.update(version="9"),
    "seats: not the entrants": lambda record: record["seats"].reverse(),
    "seats[0].name: missing": lambda record: record["seats"][0].pop("name"),
}


@pytest.mark.parametrize("words", FORGERIES)
def test_a_forger_who_signs_their_work_is_found_by_playing_again(coup_archive, words):
    path = coup_archive / "matches/0/record.json"
    record = json.loads(path.read_text())
    FORGERIES[words](record)
    path.write_text(json.dumps(record))
    sign(coup_archive)
    assert words in found(coup_archive)


def test_a_forged_history_file_is_found(coup_archive):
    edit(coup_archive / "matches/0/Random_Taxman_0_0.txt", "\n", "\np")
    sign(coup_archive)
    assert found(coup_archive) == "matches/0/Random_Taxman_0_0.txt: not what the record leads to"


def test_forged_standings_are_found(coup_archive):
    edit(coup_archive / "standings.csv", "1,", "2,")
    sign(coup_archive)
    assert found(coup_archive) == "standings.csv: not what the records lead to"


def test_a_match_under_another_number_is_found(coup_archive):
    manifest = json.loads((coup_archive / "manifest.json").read_text())
    manifest["matches"][0]["seats"] = [1, 0]
    edit_manifest(coup_archive, matches=manifest["matches"])
    assert "matches/0: not the match that the format and the seed schedule there" in found(coup_archive)


def test_an_archive_of_a_tournament_that_was_stopped_is_sound_and_says_what_is_not_there(
    tournament, tmp_path
):
    header, matches = tournament("samurai", 5)
    unplayed = [Absent(match.scheduled, Fate.UNPLAYED, "") for match in matches[7:]]
    write_folder(tmp_path / "a", header, [*matches[:7], *unplayed])
    report = verify(tmp_path / "a")
    assert report.differences == ()
    assert report.notes == ("the contest was stopped before its end", "13 matches are unplayed")


def test_a_bot_that_played_against_itself_is_one_entrant(tournament, tmp_path):
    header, [first, *_] = tournament("coup", 2)
    alone = header.entrants[:1]
    scheduled = ScheduledMatch(0, 0, 0, (0, 0))
    header = dataclasses.replace(header, format=SERIES, rounds=1, entrants=alone, seed=first.seed)
    log = dataclasses.replace(log_of(first.record), seats=alone * 2)
    write_folder(tmp_path / "a", header, [archived_match(scheduled, log, first.stderr, first.files)])
    assert verify(tmp_path / "a").differences == ()
    assert (tmp_path / "a/standings.csv").read_text().splitlines()[1].startswith("1,Random,1,2,1,")


def test_a_single_record_is_played_again(coup_archive):
    record = coup_archive / "matches/4/record.json"
    assert verify(record).sound
    edit(record, '"scores":["', '"scores":["2')
    assert found(record).startswith("scores[0]: '2")
    record.write_bytes(b"\xff{")
    assert "not a record" in found(record)
    record.write_text("[" * 100_000)
    assert "not a record: nested too deeply" in found(record)
    record.write_text("")
    assert "not a record: it is empty" in found(record)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"archive": 6}, "archive: expected format 5, got 6"),
        ({"seats": 3}, "seats: expected 2 to 2, got 3"),
        ({"seats": 65}, "seats: expected a whole number from 1 to 64"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"format": "ladder"}, "format: expected one of round_robin"),
        ({"points": "elo"}, "points: unknown: 'elo'"),
        ({"rounds": True}, "rounds: expected a whole number from 0 to"),
        ({"rounds": 10**12}, "rounds: 1000000000000 rounds are"),
        ({"seed": "1"}, "seed: expected a whole number from 0 to"),
        (
            {"entrants": [{"name": "a", "submission": ""}] * 2},
            "entrants: expected each of them once",
        ),
        ({"entrants": {}}, "entrants: expected a list, got {}"),
        (
            {"matches": [{"index": 0, "round": 0, "number": 0, "seats": [0, 9], "seed": 1}]},
            "matches[0].seats: expected",
        ),
        ({"matches": [{"index": 0, "round": 0, "number": 0, "seats": [0, 1]}]}, "matches[0].seed: missing"),
        ({"seeding": "counted"}, "seeding: expected placed for this format"),
        ({"files": []}, "files: expected an object, got []"),
        ({"files": {"a": {"sha256": "f", "size": 1}}}, "a.sha256: expected 64 hexadecimal digits, got 'f'"),
    ],
)
def test_a_manifest_that_is_none_is_refused_by_its_first_wrong_field(coup_archive, changes, words):
    path = coup_archive / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    assert words in found(coup_archive)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"[" * 100_000, b"\xff\xfe", b'{"archive": 1}', b"9" * 5000]
)
def test_a_manifest_that_is_no_json_or_no_object_is_refused(coup_archive, data):
    (coup_archive / "manifest.json").write_bytes(data)
    assert found(coup_archive).startswith("manifest.json: ")


def test_links_in_a_folder_are_refused(coup_archive):
    (coup_archive / "standings.csv").unlink()
    (coup_archive / "standings.csv").symlink_to("/etc/passwd")
    assert found(coup_archive) == "standings.csv: expected a file, got a link, a device or too deep a folder"


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(coup_archive):
    (coup_archive / "standings.csv").unlink()
    os.mkfifo(coup_archive / "standings.csv")
    assert "standings.csv: expected a file" in found(coup_archive)


def test_folders_too_deep_are_refused(coup_archive):
    (coup_archive / "matches/0/a").mkdir()
    assert "matches/0/a: expected a file" in found(coup_archive)


def zipped(folder, target, **more):
    """The folder as a zip, with further entries of any kind: {name: data} or ZipInfos."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                out.write(path, path.relative_to(folder).as_posix())
        for name, data in more.get("entries", ()):
            out.writestr(name, data)
    return target


@pytest.mark.parametrize(
    "name", ["../x", "/etc/passwd", "matches/0/../../x", "a\\b", "C:x", "a/b/c/d", "x\x1b[31m"]
)
def test_path_tricks_in_a_zip_are_refused(coup_archive, tmp_path, name):
    target = zipped(coup_archive, tmp_path / "a.zip", entries=[(name, b"")])
    assert "not the name of a file in an archive" in found(target)
    assert "\x1b" not in found(target)


def test_a_link_in_a_zip_is_refused(coup_archive, tmp_path):
    link = zipfile.ZipInfo("matches/0/link")
    link.external_attr = 0o120777 << 16
    target = zipped(coup_archive, tmp_path / "a.zip", entries=[(link, b"/etc/passwd")])
    assert found(target) == "matches/0/link: expected a file, got a link or a device"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_in_a_zip_is_refused(coup_archive, tmp_path):
    target = zipped(coup_archive, tmp_path / "a.zip", entries=[("standings.csv", b"")])
    assert found(target) == "standings.csv: is there twice"


def test_a_bomb_is_refused_before_it_is_unpacked(coup_archive, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as out, out.open("bomb", "w") as bomb:
        for _ in range(reader.LARGEST_FILE // (1 << 20) + 1):
            bomb.write(bytes(1 << 20))
    assert found(tmp_path / "a.zip") == "bomb: expected at most 32 MiB, got 33 MiB"


def test_a_file_that_claims_to_be_small_is_not_read_beyond_its_claim(coup_archive, tmp_path):
    target = zipped(coup_archive, tmp_path / "a.zip", entries=[("bomb", bytes(1 << 20))])
    data = target.read_bytes()
    target.write_bytes(data.replace(struct.pack("<L", 1 << 20), struct.pack("<L", 1 << 4)))
    assert "bomb: " in found(target)


def test_a_directory_too_large_for_memory_is_refused_unread(coup_archive, tmp_path):
    target = zipped(coup_archive, tmp_path / "a.zip")
    data = bytearray(target.read_bytes())
    data[-10:-6] = struct.pack("<L", 0xFFFFFFF0)
    target.write_bytes(data)
    assert found(target) == "expected a directory of at most 3072 MiB in the zip file"


def test_a_damaged_zip_is_reported_in_words(coup_archive, tmp_path):
    target = zipped(coup_archive, tmp_path / "a.zip")
    data = bytearray(target.read_bytes())
    data[2000:2100] = bytes(100)
    target.write_bytes(data)
    assert "cannot be read" in found(target) or "changed" in found(target)


@pytest.mark.parametrize("data", [b"", b"PK", b"hello\n" * 100])
def test_what_is_no_archive_at_all_is_said_to_be_none(tmp_path, data):
    (tmp_path / "a.zip").write_bytes(data)
    assert (
        found(tmp_path / "a.zip") == "not an archive: expected a folder, a zip without a comment, or a record"
    )


def test_an_empty_folder_is_no_archive(tmp_path):
    assert found(tmp_path) == "manifest.json: missing"


def test_a_record_larger_than_any_is_refused(coup_archive):
    record = coup_archive / "matches/0/record.json"
    with open(record, "r+b") as file:
        file.truncate(33 << 20)
    shutil.copy(record, coup_archive.parent / "big.json")
    assert "a record has at most" in found(coup_archive.parent / "big.json")
    assert found(coup_archive) == "matches/0/record.json: expected at most 32 MiB, got 33 MiB"
