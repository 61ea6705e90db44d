"""Packages for Python bots: numpy, however Python is started, and only where the bot mentions it."""

from contextlib import closing
from pathlib import Path

import pytest

from sandbox.api import Limits, Line, Sandbox
from sandbox.boxes.channel import await_lines
from sandbox.building.build import build
from sandbox.uploads.accept import pasted, read_upload
from tests.support.archives import make_zip
from tests.support.boxes import one_backend

pytestmark = pytest.mark.slow

SOLVES = b"""
import numpy as np

solved = np.linalg.solve(np.eye(3) * 2, np.ones(3))
print(solved.tolist(), np.arange(4).reshape(2, 2).sum(), flush=True)
"""
SOLVED = b"[0.5, 0.5, 0.5] 6"


def first_line(source, sandbox: Sandbox, store: Path, limits: Limits | None = None) -> bytes:
    result = build(source, sandbox, store)
    assert result.artifact is not None, result.log
    with closing(sandbox.open(result.artifact, limits or Limits())) as box, closing(box.session()) as session:
        said = await_lines({0: (session.start(), 60.0)})[0]
        session.close()
        assert isinstance(said, Line), (said, session.stderr)
        return said.text.strip()


@pytest.mark.first(1)
@pytest.mark.parametrize("command", ["", "python3 bot.py", "/usr/bin/python3 bot.py", "python3 -u bot.py"])
def test_numpy_is_there_however_python_is_started(command: str, sandbox: Sandbox, tmp_path: Path) -> None:
    files = {"bot.py": SOLVES} | ({"bot.toml": f'run = "{command}"'.encode()} if command else {})
    assert first_line(read_upload("a.zip", make_zip(files)), sandbox, tmp_path / "store") == SOLVED


@one_backend
def test_it_needs_no_more_than_a_small_box(sandbox: Sandbox, tmp_path: Path) -> None:
    small = Limits(memory_mib=128, processes=4)
    assert first_line(pasted(SOLVES.decode(), "python"), sandbox, tmp_path / "store", small) == SOLVED


@one_backend
@pytest.mark.parametrize("command", ["python3 bot.py", "/usr/bin/python3 bot.py", "python3 -u bot.py"])
def test_no_other_package_of_the_machine_is_there(command: str, sandbox: Sandbox, tmp_path: Path) -> None:
    looks = (
        b"import importlib.util\n"
        b"names = 'pip', 'setuptools', 'django', 'yaml', 'cryptography'\n"
        b"print([name for name in names if importlib.util.find_spec(name)], flush=True)\n"
    )
    source = read_upload("a.zip", make_zip({"bot.py": looks, "bot.toml": f'run = "{command}"'.encode()}))
    assert first_line(source, sandbox, tmp_path / "store") == b"[]"


@one_backend
def test_a_bot_that_does_not_mention_it_is_played_without_it(sandbox: Sandbox, tmp_path: Path) -> None:
    looks = "import os\nprint(os.path.exists('/packages'), 'PYTHONPATH' in os.environ, flush=True)\n"
    assert first_line(pasted(looks, "python"), sandbox, tmp_path / "store") == b"False False"


@one_backend
def test_nothing_can_be_written_to_it(sandbox: Sandbox, tmp_path: Path) -> None:
    writes = (
        "import os  # numpy\n"
        "for path in '/packages/numpy/x.py', '/packages/x.py':\n"
        "    try:\n"
        "        open(path, 'w')\n"
        "    except OSError as error:\n"
        "        print(error.strerror, end='; ')\n"
        "print(flush=True)\n"
    )
    line = first_line(pasted(writes, "python"), sandbox, tmp_path / "store")
    assert line == b"Read-only file system; Read-only file system;"
