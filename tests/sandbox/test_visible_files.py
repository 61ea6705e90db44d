"""What bots see of an interpreter that is installed in a home folder, beside much else."""

import shutil
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.api import Limits
from sandbox.backends import bubblewrap
from sandbox.backends.bubblewrap import Bubblewrap
from sandbox.doctor import probe

LEFT_OUT = shutil.ignore_patterns(
    "test", "idlelib", "site-packages", "dist-packages", "config-*", "__pycache__"
)
BOT = """
import os, sys
for folder, folders, files in os.walk(sys.argv[1]):
    for name in files:
        print(os.path.join(folder, name))
"""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home folder with this Python, and with secrets, in .local. Not below /tmp: a box has its own."""
    home = Path(tempfile.mkdtemp(prefix="agon-home-", dir="/var/tmp"))
    local = home / ".local"
    own = bubblewrap.interpreter()
    (local / "bin").mkdir(parents=True)
    shutil.copy2(own, local / "bin" / "python3.11")
    shutil.copytree(sysconfig.get_path("stdlib"), local / "lib" / "python3.11", ignore=LEFT_OUT)
    for folder in ("share/keyrings", "state", "lib", "bin"):
        (local / folder).mkdir(parents=True, exist_ok=True)
        (local / folder / "secret").write_text("the password")
    yield home
    shutil.rmtree(home)


@pytest.fixture
def installed_there(home, monkeypatch):
    monkeypatch.setattr(bubblewrap, "interpreter", lambda: home / ".local" / "bin" / "python3.11")
    monkeypatch.setenv("HOME", str(home))


def test_only_the_interpreter_and_its_library_are_shown(installed_there, home, artifacts):
    sandbox = Bubblewrap()
    box = sandbox.open(artifacts(BOT, warm=False), Limits())
    session = box.session()
    ran = session.run([str(home)], None, 20.0)
    session.close()
    box.close()
    sandbox.close()
    assert ran.failed is None
    seen = {Path(line).relative_to(home / ".local") for line in ran.stdout.decode().splitlines()}
    outside = {path for path in seen if not path.is_relative_to("lib/python3.11")}
    assert outside == {Path("bin/python3.11")}
    assert Path("lib/python3.11/os.py") in seen


def test_the_doctor_warns_of_a_home_folder(installed_there, home, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    finding = next(finding for finding in probe() if finding.what == "bubblewrap: visible files")
    assert finding.state == "partial"
    assert str(home / ".local" / "lib" / "python3.11") in finding.words
    assert str(home / ".local" / "share") not in finding.words
    assert "Debian: python3" in finding.remedy


def test_shared_libraries_beside_the_standard_library_are_shown(installed_there, home):
    library = home / ".local" / "lib" / "libpython3.11.so.1.0"
    library.touch()
    try:
        assert library in bubblewrap.visible_python()
    finally:
        library.unlink()
