"""Folders as bytes: what a box may send out, and what is refused."""

import contextlib
import io
import json
import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.inside import bundle

NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


def bundled(names, contents=b""):
    text = json.dumps(names).encode()
    return io.BytesIO(struct.pack("<I", len(text)) + text + contents)


def unpack(packed, folder):
    return bundle.unpack(packed, str(folder), most_files=10, most_bytes=1000)


def test_files_come_out_as_they_went_in(tmp_path):
    (tmp_path / "in" / "sub" / "empty").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "é.txt").write_bytes(b"\0\xff")
    (tmp_path / "in" / "run").write_bytes(b"#!")
    (tmp_path / "in" / "run").chmod(0o755)
    packed = io.BytesIO()
    bundle.pack(str(tmp_path / "in"), packed, 10, 1000)
    packed.seek(0)
    (tmp_path / "out").mkdir()
    unpack(packed, tmp_path / "out")
    assert (tmp_path / "out" / "sub" / "é.txt").read_bytes() == b"\0\xff"
    assert (tmp_path / "out" / "sub" / "empty").is_dir()
    assert os.access(tmp_path / "out" / "run", os.X_OK)


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/etc/x", "", ".", "a//b", "a/", "a\0b", "x" * 300, "/".join("a" * 40)]
)
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(bundle.BadBundle):
        unpack(bundled([[name, False, 0]]), tmp_path)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    "names",
    [
        {},
        [["x", False]],
        [["x", 1, 0]],
        [[1, False, 0]],
        [["x", False, -2]],
        [["x", False, 1.5]],
        [["x", False, 1001]],
        [["x", False, 600], ["y", False, 600]],
        [[str(n), False, 0] for n in range(11)],
    ],
)
def test_lists_of_another_kind_are_refused(tmp_path, names):
    with pytest.raises(bundle.BadBundle):
        unpack(bundled(names, b"x" * 2000), tmp_path)


@pytest.mark.parametrize("packed", [b"", b"\xff\xff\xff\xff", struct.pack("<I", 5) + b"{not}", b"\x01"])
def test_bytes_that_are_no_bundle_are_refused(tmp_path, packed):
    with pytest.raises(bundle.BadBundle):
        unpack(io.BytesIO(packed), tmp_path)


def test_contents_that_end_early_are_refused(tmp_path):
    with pytest.raises(bundle.BadBundle, match="end early"):
        unpack(bundled([["x", False, 10]], b"only"), tmp_path)


def test_the_same_name_twice_is_refused(tmp_path):
    with pytest.raises(FileExistsError):
        unpack(bundled([["x", False, 0], ["x", False, 0]]), tmp_path)


@given(name=st.lists(NAMES, min_size=1, max_size=4))
def test_nothing_is_ever_written_outside(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("outer") / "inner"
    folder.mkdir()
    with contextlib.suppress(bundle.BadBundle, OSError):
        unpack(bundled([["/".join(name), False, 0]]), folder)
    assert [path.name for path in folder.parent.iterdir()] == ["inner"]
