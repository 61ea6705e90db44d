"""A store of artifacts is kept below a size, and nothing that is used disappears."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.building import store

MIB = 1 << 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def put(folder: Path, name: str, mib: int = 1, age: float = 0) -> Path:
    """An artifact as a build leaves it, last used `age` seconds ago."""
    place = folder / name
    (place / "files").mkdir(parents=True)
    (place / "files" / "bot").write_bytes(os.urandom(mib * MIB))
    (place / store.STAMP).write_text("{}")
    then = time.time() - age
    os.utime(place / store.STAMP, (then, then))
    return place


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != store.UNFINISHED)


def test_those_used_longest_ago_are_removed_first(folder: Path) -> None:
    put(folder, "new", age=1)
    put(folder, "old", age=100)
    put(folder, "older", age=200)
    assert store.prune(folder, 3 * MIB // 2) == 2
    assert names(folder) == ["new"]
    assert list((folder / store.UNFINISHED).iterdir()) == []


def test_what_was_asked_for_again_is_new(folder: Path) -> None:
    first = put(folder, "first", age=200)
    put(folder, "second", age=100)
    with store.held(first):
        pass
    store.prune(folder, 3 * MIB // 2)
    assert names(folder) == ["first"]


def test_what_is_held_stays_however_little_room_there_is(folder: Path) -> None:
    used = put(folder, "used", age=500)
    put(folder, "other")
    with store.held(used) as there:
        assert there
        assert store.prune(folder, 0) == 1
        assert not store.remove(used)
        assert (used / "files" / "bot").stat().st_size == MIB
    assert store.prune(folder, 0) == 1
    assert names(folder) == []


def test_a_killed_process_holds_nothing(folder: Path) -> None:
    used = put(folder, "used")
    code = (
        "import sys; from pathlib import Path; from sandbox.building import store\n"
        "assert store.hold(Path(sys.argv[1])) is not None; print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(used)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    assert store.prune(folder, 0) == 0
    holder.kill()
    holder.communicate()
    assert store.prune(folder, 0) == 1


def test_what_is_not_there_is_neither_held_nor_removed(folder: Path) -> None:
    assert store.hold(folder / "nothing") is None
    assert not store.remove(folder / "nothing")


REMOVER = """
import sys, time
from pathlib import Path
from sandbox.building import store
print("ready", flush=True)
input()
until = time.monotonic() + 3
removed = 0
while time.monotonic() < until:
    removed += store.remove(Path(sys.argv[1]))
print(removed)
"""
USER = """
import os, shutil, sys, time, uuid
from pathlib import Path
from sandbox.building import store
place = Path(sys.argv[1])
print("ready", flush=True)
input()
until = time.monotonic() + 3
used = torn = 0
while time.monotonic() < until:
    new = place.parent / uuid.uuid4().hex
    (new / "files").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (new / "files" / name).write_text(name)
    (new / store.STAMP).write_text("{}")
    try:
        os.rename(new, place)
    except OSError:
        shutil.rmtree(new)
    with store.held(place) as there:
        if there:
            used += 1
            time.sleep(0.001)
            torn += sorted(os.listdir(place / "files")) != ["a", "b", "c"]
print(used, torn)
"""


def test_processes_that_use_and_remove_the_same_artifact_never_see_half_of_it(folder: Path) -> None:
    """Two put it there and use it, two remove it as fast as they can."""
    place = folder / "artifact"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(place)], **pipes)
        for code in (USER, USER, REMOVER, REMOVER)
    ]
    for process in running:  # so that none has ended before another begins
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].split() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0, 0]
    (first, torn), (second, also_torn), (removed,), (also_removed,) = said
    assert int(first) + int(second) > 0
    assert int(removed) + int(also_removed) > 0
    assert (torn, also_torn) == ("0", "0")
