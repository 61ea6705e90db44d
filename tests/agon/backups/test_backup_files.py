"""The file of a backup: each byte of it is checked, and nothing in it leads out of the site."""

import hashlib
import io
import json
import random
import tarfile
import tracemalloc
from collections.abc import Sequence

import pytest

from agon.backups import checking, container, manifest, members
from agon.backups.container import Damaged, Member, Stored
from agon.backups.manifest import About, Entry

ABOUT = About("1.0.0", "2026-11-28T09:00:00+00:00", "sqlite", "3.40.1", ("bots.0001_initial",), "1.0.0")
CONTENTS = {
    "database.sqlite3.gz": b"rows " * 5000,
    "keys/secret_key": b"a secret",
    members.of_file("sources/ab/bot"): b"print('READY')\n",
    members.of_file("sources/ab/" + "long/" * 30 + "é漢"): bytes(range(256)) * 40,
    members.of_file("sources/cd/empty"): b"",
}


def written(contents: dict[str, bytes], about: About = ABOUT) -> bytes:
    """A backup of these members."""
    file, lines = io.BytesIO(), io.BytesIO()
    kept = manifest.Writer(lines, about)
    for name, data in contents.items():
        with container.member(file, name, members.is_packed(name), kept.add) as content:
            content.write(data)
    kept.end()
    return closed(file, lines.getvalue())


def closed(file: io.BytesIO, lines: bytes) -> bytes:
    with container.member(file, members.MANIFEST, False, lambda *_: None) as content:
        content.write(lines)
    container.finish(file)
    return file.getvalue()


def findings(data: bytes) -> Sequence[str]:
    return checking.check(io.BytesIO(data)).findings


@pytest.fixture(scope="module")
def sound() -> bytes:
    return written(CONTENTS)


def test_a_backup_is_sound_and_any_tar_reads_it(sound):
    report = checking.check(io.BytesIO(sound))
    assert (report.findings, report.members, report.about) == ((), len(CONTENTS), ABOUT)
    assert report.content_bytes == sum(map(len, CONTENTS.values()))
    with tarfile.open(fileobj=io.BytesIO(sound)) as tar:
        assert tar.getnames() == [*CONTENTS, "manifest.jsonl"]
        assert all(member.isreg() and member.mode == 0o600 for member in tar)


def test_the_same_contents_give_the_same_bytes(sound):
    assert written(CONTENTS) == sound


def test_every_flipped_byte_is_found_and_its_member_named(sound):
    chance = random.Random(1)
    with tarfile.open(fileobj=io.BytesIO(sound)) as tar:
        begins = [(member.offset, member.name) for member in tar]
    last = len(sound) - 1024
    tried = 0
    for place in [*range(0, len(sound), 29), len(sound) - 1]:
        flipped = bytearray(sound)
        flipped[place] ^= 1 << chance.randrange(8)
        name = "end of the tar" if place >= last else [name for at, name in begins if at <= place][-1]
        messages = findings(bytes(flipped))
        assert any(name in words for words in messages), (place, name, messages)
        tried += 1
    assert tried > 300


@pytest.mark.parametrize("length", [0, 1, 512, 1000, 8000])
def test_a_file_that_is_cut_off_is_none(sound, length):
    assert "missing" in findings(sound[:length])[0]


def test_a_file_without_its_last_block_is_cut_off(sound):
    assert any("cut off" in words for words in findings(sound[:-512]))


def test_what_follows_the_end_is_found(sound):
    assert findings(sound + bytes(512))
    assert findings(sound + b"more")


@pytest.mark.parametrize("data", [b"", b"no tar", bytes(10_240), random.Random(2).randbytes(5000)])
def test_any_other_file_is_no_backup(data):
    assert findings(data)[0].startswith("manifest.jsonl: missing; this is no backup")


def test_a_tar_of_something_else_is_no_backup(tmp_path):
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(__file__, "manifest.jsonl")
    assert findings((tmp_path / "x.tar").read_bytes())


def parts_of(data: bytes) -> list[tuple[str, bytes]]:
    """Each member with its header and padding, by name."""
    all_members = [member for member in container.walk(io.BytesIO(data)) if isinstance(member, Member)]
    return [(member.name, data[member.at : member.end]) for member in all_members]


def test_a_member_that_is_missing_too_many_or_elsewhere_is_named(sound):
    parts = parts_of(sound)
    name = parts[2][0]
    end = bytes(1024)

    def joined(chosen):
        return b"".join(part for _, part in chosen) + end

    assert findings(joined(parts)) == ()
    assert findings(joined([*parts[:2], *parts[3:]])) == (f"{name}: missing",)
    assert findings(joined([*parts[:3], *parts[2:]])) == (f"{name}: not in the manifest",)
    stray = parts_of(written({"database.sqlite3.gz": b"", members.of_file("other"): b"x"}))[1]
    assert findings(joined([*parts[:2], stray, *parts[2:]])) == (f"{stray[0]}: not in the manifest",)
    assert findings(joined(parts[1:])) == ("database.sqlite3.gz: missing",)


@pytest.mark.parametrize(
    "name",
    [
        "files/../../etc/passwd.gz",
        "files//etc/passwd.gz",
        "files/./x.gz",
        "files/a\\..\\b.gz",
        "files/a\nb.gz",
        "files/\u202egz.gz",
        "files/.gz",
        "files/" + "x" * 2000 + ".gz",
        "/etc/passwd",
        "../x",
        "keys/other",
        "keys/../secret_key",
        "database.dump",  # of another kind than the manifest says
        "anything",
    ],
)
def test_no_other_name_is_taken(name):
    messages = findings(written({"database.sqlite3.gz": b"", name: b"x"}))
    assert messages
    assert not name.startswith("files/") or members.file_of(name) is None


NO_FILES = "SYMTYPE", "LNKTYPE", "CHRTYPE", "BLKTYPE", "FIFOTYPE", "DIRTYPE"


@pytest.mark.parametrize("kind", [getattr(tarfile, name) for name in NO_FILES], ids=NO_FILES)
def test_nothing_but_plain_files_is_taken(sound, kind):
    name = members.of_file("sources/ab/bot")
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, "/etc/passwd", 0o600
    parts = [
        part if member_name != name else info.tobuf(tarfile.GNU_FORMAT)
        for member_name, part in parts_of(sound)
    ]
    messages = findings(b"".join(parts) + bytes(1024))
    assert [words for words in messages if name in words and "not that of a plain file" in words]


def test_a_member_never_gets_larger_than_the_manifest_says():
    """64 MiB of zeros, of which the manifest says that it is 10 bytes."""
    file, stored = io.BytesIO(), []
    with container.member(file, "files/x.gz", True, lambda _name, facts: stored.append(facts)) as content:
        for _ in range(64):
            content.write(bytes(1 << 20))
    [member_found] = [member for member in container.walk(file) if isinstance(member, Member)]
    lie = Stored(stored[0].size, stored[0].sha256, 10)
    tracemalloc.start()
    with pytest.raises(Damaged, match="longer than the 10 bytes"):
        next(container.content(file, member_found, True, lie))
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


def test_content_is_given_to_its_end_only_if_it_is_whole(sound):
    name = "database.sqlite3.gz"
    file = io.BytesIO(sound)
    first_member = next(member for member in container.walk(file) if isinstance(member, Member))
    [entry] = [known for known in checking.entries(file, last_of(file)) if known.name == name]
    assert isinstance(entry, Entry)
    assert b"".join(container.content(file, first_member, True, entry.stored)) == CONTENTS[name]
    wrong = entry.stored._replace(sha256="0" * 64)
    got = []
    with pytest.raises(Damaged):
        got.extend(container.content(file, first_member, True, wrong))
    assert len(b"".join(got)) < len(CONTENTS[name])


def last_of(file):
    return [member for member in container.walk(file) if isinstance(member, Member)][-1]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"format": "agon backup", "version": 2, "agon": "3.0.0"}, "of format 2, written by Agon 3.0.0"),
        ({"format": "other"}, "not the manifest of a backup"),
        ({"format": "agon backup", "version": 1}, "without the versions"),
        ([1], "not a JSON object"),
    ],
)
def test_a_manifest_of_another_kind_is_refused_in_words(line, words):
    first = json.dumps(line).encode() + b"\n"
    last = json.dumps({"sha256": hashlib.sha256(first).hexdigest()}, separators=(",", ":")).encode() + b"\n"
    assert words in findings(closed(io.BytesIO(), first + last))[0]


def test_any_number_of_members_takes_constant_memory():
    """Memory of a check of 5,000 members is that of 500."""

    def memory_of_a_check(count: int) -> int:
        data = written({"database.sqlite3.gz": b"", **{f"files/{n}.gz": b"x" for n in range(count)}})
        file = io.BytesIO(data)
        tracemalloc.start()
        assert checking.check(file).findings == ()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert memory_of_a_check(5_000) < memory_of_a_check(500) + (1 << 18)


def test_the_manifest_says_what_was_left_out():
    file, lines = io.BytesIO(), io.BytesIO()
    kept = manifest.Writer(lines, ABOUT)
    with container.member(file, "database.sqlite3.gz", True, kept.add) as content:
        content.write(b"rows")
    kept.leave_out("sources/gone", manifest.REMOVED)
    kept.leave_out("sources/lost", manifest.MISSING)
    kept.end()
    report = checking.check(io.BytesIO(closed(file, lines.getvalue())))
    assert (report.findings, report.removed, report.missing) == ((), 1, ("sources/lost",))
    assert json.loads(lines.getvalue().splitlines()[1])["content_bytes"] == 4
