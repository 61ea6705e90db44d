"""Each limit of what `agon verify` reads, with an archive on either side of it; and zips that lie."""

import json
import struct
import zipfile
from pathlib import Path

import pytest

from agon.contest.archive import manifest_reader, reader
from agon.contest.archive import verify as verifier
from agon.contest.archive.verify import verify
from agon.contest.archive.writer import write_zip

from .forgery import files_of

ENTRY, LOCAL = b"PK\x01\x02", b"PK\x03\x04"


def found(path):
    return "\n".join(verify(path).differences)


def sizes(folder):
    return {name: (folder / name).stat().st_size for name in files_of(folder)}


LIMITS = {
    "files": (reader, "MOST_FILES", lambda folder: len(sizes(folder)), "expected at most 32 files"),
    "bytes": (reader, "LARGEST_TOTAL", lambda folder: sum(sizes(folder).values()), "GiB of files"),
    "manifest": (
        reader,
        "LARGEST_MANIFEST",
        lambda folder: sizes(folder)["manifest.json"],
        "manifest.json: expected at most 0 MiB, got 0 MiB",
    ),
    "manifest for its files": (
        verifier,
        "LARGEST_BARE",
        lambda folder: sizes(folder)["manifest.json"] - 1024 * len(sizes(folder)),
        "manifest.json: expected at most 0 MiB for 33 files",
    ),
    "record": (
        reader,
        "LARGEST_FILE",
        lambda folder: max(size for name, size in sizes(folder).items() if name.startswith("matches/")),
        "/record.json: expected at most 0 MiB, got 0 MiB",
    ),
    "entrants": (
        manifest_reader,
        "LARGEST_KEPT",
        lambda folder: len(
            (folder / "manifest.json").read_text().split('"entrants":')[1].split("\n]")[0].rstrip()
        ),
        "manifest.json: entrants: expected at most 0 MiB",
    ),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_an_archive_at_a_limit_is_sound_and_one_beyond_it_is_refused(coup_archive, monkeypatch, limit):
    module, name, reached, words = LIMITS[limit]
    largest = reached(coup_archive)
    monkeypatch.setattr(module, name, largest)
    assert found(coup_archive) == ""
    monkeypatch.setattr(module, name, largest - 1)
    assert words in found(coup_archive)


@pytest.fixture
def zipped(tournament, tmp_path):
    path = tmp_path / "a.zip"
    with open(path, "w+b") as file:
        write_zip(file, *tournament("coup", 2))
    return path


def in_entry(at, new):
    """Change the directory's first entry, that of a record, at this byte."""

    def lie(data):
        start = data.index(ENTRY) + at
        data[start : start + len(new)] = new

    return lie


def in_end(at, new):
    def lie(data):
        start = len(data) - 22 + at
        data[start : start + len(new)] = new

    return lie


def in_header(at, new):
    def lie(data):
        data[at : at + len(new)] = new

    return lie


RECORD = "matches/0/record.json: "
LIES = {
    "a directory before the file": (in_end(12, struct.pack("<I", 1 << 30)), "not a zip file: "),
    "a directory elsewhere": (in_end(16, struct.pack("<I", 1 << 30)), "not a zip file: Bad offset"),
    "a directory cut short": (in_end(12, struct.pack("<I", 50)), "not a zip file: Bad magic number"),
    "a name up to the end": (in_entry(28, b"\xff\xff"), "not a zip file: Truncated central directory"),
    "something else between": (in_entry(0, b"KP"), "not a zip file: Bad magic number"),
    "a file beyond the end": (in_entry(42, b"\xfe\xff\xff\xff"), RECORD + "cannot be read: it ends too"),
    "a file in the midst of another": (in_entry(42, b"\x05"), RECORD + "cannot be read: Bad magic number"),
    "more compressed than there is": (in_entry(20, b"\xff\xff\xff\x7f"), RECORD + "cannot be read: it ends"),
    "less compressed than there is": (in_entry(20, b"\x09\x00"), RECORD + "cannot be read: Bad CRC-32"),
    "less than there is": (in_entry(24, b"\x09\x00"), RECORD + "cannot be read: Bad CRC-32"),
    "more than there is": (in_entry(24, b"\xff\xff\x01"), RECORD + "cannot be read: expected 131071 bytes"),
    "another sum": (in_entry(16, b"\0\0\0\0"), RECORD + "cannot be read: Bad CRC-32"),
    "another name": (in_header(30, b"n"), RECORD + "cannot be read: File name in directory"),
    "more than any file": (in_entry(24, b"\xfe\xff\xff\xff"), RECORD + "expected at most 32 MiB, got 4095"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_zip_that_lies_is_refused_in_words(zipped, lie):
    change, words = LIES[lie]
    data = bytearray(zipped.read_bytes())
    change(data)
    zipped.write_bytes(data)
    assert words in found(zipped)


def test_an_offset_and_sizes_of_64_bits_are_read(zipped, tmp_path):
    """As other programs write them, which do so before they know that smaller ones suffice."""
    target = tmp_path / "b.zip"
    with zipfile.ZipFile(zipped) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            with new.open(name, "w", force_zip64=True) as file:
                file.write(old.read(name))
    assert found(target) == ""


def test_an_archive_that_another_program_packed_is_read(zipped, tmp_path):
    """With folders, extra fields, comments, and something before it."""
    target = tmp_path / "b.zip"
    with zipfile.ZipFile(zipped) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        new.mkdir("matches")
        for name in old.namelist():
            info = zipfile.ZipInfo(name)
            info.comment, info.extra = b"a comment", struct.pack("<HH4s", 0x5455, 4, b"time")
            new.writestr(info, old.read(name))
    target.write_bytes(b"#!/bin/sh\n" + target.read_bytes())
    assert found(target) == ""


def test_a_file_that_the_manifest_lists_twice_is_named(coup_archive):
    path: Path = coup_archive / "manifest.json"
    line = json.dumps({"standings.csv": {"sha256": "0" * 64, "size": 0}})[1:-1]
    path.write_text(path.read_text().replace('"files": {', f'"files": {{\n{line},'))
    assert found(coup_archive) == "manifest.json: files: standings.csv: is there twice"
