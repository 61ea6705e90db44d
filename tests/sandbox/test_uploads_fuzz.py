"""Whatever bytes and names arrive: a refusal, or files that stay in their folder. Never another exception."""

import io
import tarfile
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.file_names import case_key
from sandbox.source import MOST_FILES, UNPACKED_BYTES, Source
from sandbox.uploads.accept import BadUpload, read_upload
from tests.support.archives import gz, make_tar, make_zip

parts = st.sampled_from(
    ["..", ".", "", "a", "A", "b", "a.py", "\\", "C:", "-x", "é", "e\u0301", "ß", "SS", "\n", "ı", "I"]
)
odd_names = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30),
    st.lists(parts, min_size=1, max_size=5).map("/".join).filter(bool),
)
plain_names = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.py", fullmatch=True)
packers = st.sampled_from([make_zip, make_tar, lambda files: gz(make_tar(files))])

EXAMPLES = settings().max_examples  # of the profile of this run


def read(data: bytes) -> Source | None:
    """The source in data, checked; None if it was refused."""
    try:
        source = read_upload("upload", data)
    except BadUpload as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert refusal.isprintable()
        return None
    assert 0 < len(source.files) <= MOST_FILES
    assert sum(len(file.data) for file in source.files) <= UNPACKED_BYTES
    paths = [file.path for file in source.files]
    assert paths == sorted(paths)
    assert len({case_key(path) for path in paths}) == len(paths)
    for path in paths:
        assert path == unicodedata.normalize("NFC", path)
        assert not {"..", ".", ""} & set(path.split("/"))
        assert "\\" not in path
        assert all(char.isprintable() or unicodedata.category(char) == "Zs" for char in path)
    return source


@given(st.dictionaries(odd_names, st.binary(max_size=10), min_size=1, max_size=6), packers)
@settings(max_examples=3 * EXAMPLES)
def test_odd_names_are_refused_or_stay_in_their_folder(files, pack) -> None:
    source = read(pack(files))
    if source is None:
        return
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top, "folder")
        folder.mkdir()
        source.write(folder)
        assert [entry.name for entry in Path(top).iterdir()] == ["folder"]
        written = {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    assert written == {file.path: file.data for file in source.files}


@given(st.dictionaries(plain_names, st.binary(max_size=2000), min_size=1, max_size=6), packers)
def test_plain_files_come_back_as_they_were(files, pack) -> None:
    outer = {name.partition("/")[0] for name in files}
    files |= {"bot.py": b"outside"} if len(outer) == 1 else {}
    source = read(pack(files))
    clash = any(path.startswith(f"{name}/") for name in files for path in files)
    assert (source is None) == clash
    if source is not None:
        assert {file.path: file.data for file in source.files} == files


SEEDS = [
    make_zip({"bot.py": b"print(1)\n" * 9, "lib/é.py": b"x" * 600}),
    make_tar({"bot.py": b"print(1)\n" * 9, "lib/" + "é" * 90 + ".py": b"x" * 600}),
    make_tar({"bot.py": b"print(1)\n" * 9, "lib/" + "e" * 120 + ".py": b"x" * 600}, form=tarfile.GNU_FORMAT),
]


@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(min_size=1, max_size=8)), min_size=1, max_size=6),
    st.booleans(),
)
@settings(max_examples=6 * EXAMPLES)
def test_damaged_bytes_never_raise_anything_but_a_refusal(seed, changes, packed) -> None:
    data = bytearray(seed)
    for at, new in changes:
        at %= len(data)
        data[at : at + len(new)] = new
    read(gz(bytes(data)) if packed and data[:2] != b"PK" else bytes(data))


def test_a_name_that_begins_with_nul_is_refused() -> None:
    data = make_zip({"bot.py": b"print(1)\n"}).replace(b"bot.py", b"\0ot.py")

    with pytest.raises(BadUpload):
        read_upload("a.zip", data)


@given(st.sampled_from(SEEDS), st.integers(0, 156), st.binary(min_size=1, max_size=12))
@settings(max_examples=3 * EXAMPLES)
def test_tar_headers_with_right_checksums_and_wrong_fields_are_survived(seed, at, new) -> None:
    if seed[:2] == b"PK":
        return
    for start in range(0, len(seed), 512):
        block = bytearray(seed[start : start + 512])
        try:
            tarfile.TarInfo.frombuf(bytes(block), "utf-8", "surrogateescape")
        except tarfile.HeaderError:
            continue
        block[at : at + len(new)] = new
        block[148:156] = b" " * 8
        block = block[:512]
        block[148:156] = b"%06o\0 " % sum(block)
        read(seed[:start] + bytes(block) + seed[start + 512 :])


@given(st.binary(max_size=2000))
@settings(max_examples=2 * EXAMPLES)
def test_any_bytes_at_all_are_survived(data: bytes) -> None:
    for start in (b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\x00"):
        read(start + data)


def test_what_tarfile_itself_would_unpack_elsewhere_is_refused() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("out")
        link.type, link.linkname = tarfile.SYMTYPE, "/tmp"
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("out/x.py"))
    assert read(out.getvalue()) is None
