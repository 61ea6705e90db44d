"""What `pip install` brings works without the project: the command line, and with the extra `site` a site."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import agon
from scripts import wheel

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ["3.11", "3.12", "3.13"]
OF_THE_SITE = ["django", "celery", "psycopg2", "redis", "uvicorn", "allauth"]
FIRST_OF_TRAIN = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guides/train.md").read_text(), re.DOTALL)[0]
[SITE_OF_README] = re.findall(r"`(pip install \S+\[site\]'?)`", (ROOT / "README.md").read_text())
SITE_OF_README = SITE_OF_README.replace("dist/", "")
STARTS_WITHIN = 120.0  # seconds, on a busy machine


class Installed(NamedTuple):
    """A new environment with the wheel in it, and a folder elsewhere to work in."""

    environment: Path
    folder: Path

    def run(self, *command: str) -> str:
        """What a command prints; programs of the environment are found first."""
        ran = subprocess.run(command, cwd=self.folder, env=self.variables(), capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def run_lines(self, page: str) -> None:
        """Run the lines of a page that install something."""
        lines = re.findall(r"^pip install .+$", (ROOT / page).read_text(), re.MULTILINE)
        assert lines, page
        for line in lines:
            self.run("sh", "-c", line)

    def variables(self) -> dict[str, str]:
        """Without those that name the project, its services or its modules."""
        not_ours = re.compile("AGON_|PYTHON|DJANGO_|DATABASE_|REDIS_|DOCKER_|SECRET_|VIRTUAL_ENV|HOST$|PORT$")
        kept = {name: value for name, value in os.environ.items() if not not_ours.match(name)}
        kept["PATH"] = f"{self.environment / 'bin'}{os.pathsep}{kept['PATH']}"
        pip = {"QUIET": "2", "NO_COMPILE": "1", "DISABLE_PIP_VERSION_CHECK": "1", "NO_INPUT": "1"}
        kept |= {f"PIP_{name}": value for name, value in pip.items()}
        kept["PIP_CONSTRAINT"] = str(self.folder / "constraints.txt")
        return kept | {"XDG_DATA_HOME": str(self.folder / "data"), "AGON_SANDBOX": "bubblewrap"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture
def constraints(tmp_path: Path) -> None:
    """The versions of the locks, so that what others release does not decide these tests."""
    locks = [(ROOT / "requirements" / f"{name}.txt").read_text() for name in ("runtime", "test")]
    pinned = {line for lock in locks for line in re.findall(r"^[\w.-]+==[^ \\]+", lock, re.M)}
    (tmp_path / "constraints.txt").write_text("\n".join(sorted(pinned)))


@pytest.fixture
def install(built: Path, constraints: None, tmp_path: Path) -> Callable[..., Installed]:
    """install(version): a new environment, after the lines of the starter's AGENTS.md."""
    shutil.copy(built, tmp_path)

    def install(version: str) -> Installed:
        environment = tmp_path / "environment"
        subprocess.run([python_of(version), "-m", "venv", "--without-pip", environment], check=True)
        [wheel_of_pip] = (ROOT / "vendor").glob("pip-*.whl")
        pip = environment / "bin" / "pip"
        pip.write_text(f'#!/bin/sh\nexec python {wheel_of_pip}/pip "$@"\n')
        pip.chmod(0o755)
        new = Installed(environment, tmp_path)
        new.run_lines("templates/competitions/kit/AGENTS.md")
        return new

    return install


def python_of(version: str) -> str:
    """A Python of this version on this machine, in PATH or as pyenv keeps them; else the test is skipped."""
    versions = Path.home() / ".pyenv" / "versions"
    for python in [shutil.which(f"python{version}"), *versions.glob(f"{version}.*/bin/python")]:
        if python and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return str(python)
    pytest.skip(f"there is no Python {version} here")


def test_what_the_wheel_holds_is_enough_to_play(built, tmp_path) -> None:
    """With the packages of the project: what is forgotten in a wheel is found without installing any."""
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp_path / "unpacked")
    variables = os.environ | {"PYTHONPATH": str(tmp_path / "unpacked"), "AGON_SANDBOX": "bubblewrap"}

    def python(*arguments: str) -> str:
        command = [wheel.PYTHON, *arguments]
        ran = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    origins = python(
        "-c", "import agon, games, sandbox; print(agon.__file__, games.__file__, sandbox.__file__)"
    )
    assert all(Path(origin).is_relative_to(tmp_path / "unpacked") for origin in origins.split())
    assert "Two programs bluff" in python("-m", "agon", "games")
    python("-m", "agon", "play", "coup", "honest", "bluffer", "--save", "saved")
    assert python("-m", "agon", "verify", "saved").startswith("saved: sound; 1 match replayed")


def test_type_checkers_use_the_types_of_what_is_installed(built, tmp_path) -> None:
    subprocess.run([wheel.PYTHON, "-m", "venv", "--without-pip", "env"], cwd=tmp_path, check=True)
    [packages] = (tmp_path / "env").glob("lib/python*/site-packages")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(packages)
    (tmp_path / "mine.py").write_text(
        'from agon.client import Site\n\nSite("https://example.org", token=7)\n'
    )
    command = [wheel.PYTHON, "-m", "mypy", "--cache-dir", os.devnull, "--python-executable", "env/bin/python"]
    ran = subprocess.run([*command, "mine.py"], cwd=tmp_path, capture_output=True, text=True)
    assert 'Argument "token" to "Site" has incompatible type "int"; expected "str"' in ran.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", VERSIONS)
def test_the_command_line_is_installed_without_the_site(version, install) -> None:
    installed = install(version)
    the_command_line_works_without_django(installed)
    a_game_is_written_outside_the_package(installed)


@pytest.mark.exhaustive
def test_the_extras_bring_a_site_and_the_libraries_of_games(install) -> None:
    installed = install("3.11")
    installed.run_lines("docs/guides/train.md")
    assert "seat_1" in installed.run("python", "-c", FIRST_OF_TRAIN)
    installed.run_lines("docs/guides/write-a-game.md")
    installed.run("agon", "new-game", "rows", "--from", "open_spiel:connect_four")
    installed.run("sh", "-c", SITE_OF_README)
    assert installed.run("agon", "--version") == f"agon {agon.__version__}\n"
    a_site_is_served(installed)


def the_command_line_works_without_django(installed: Installed) -> None:
    assert installed.run("agon", "--version") == f"agon {agon.__version__}\n"
    assert "Two programs bluff" in installed.run("agon", "games")
    installed.run("agon", "play", "coup", "honest", "bluffer", "--save", "saved")
    assert installed.run("agon", "verify", "saved").startswith("saved: sound; 1 match replayed")
    compared = installed.run("agon", "compare", "coup", "honest", "miser", "--cap", "32", "--json")
    assert json.loads(compared)["verdict"]
    find = "import sys; from importlib.util import find_spec; print([*filter(find_spec, sys.argv[1:])])"
    assert installed.run("python", "-c", find, *OF_THE_SITE) == "[]\n"
    serve = subprocess.run(
        [installed.environment / "bin" / "agon", "serve"],
        env=installed.variables(),
        cwd=installed.folder,
        capture_output=True,
        text=True,
    )
    assert (serve.returncode, serve.stdout) == (2, "")
    assert "pip install 'agon[site]'" in serve.stderr


def a_game_is_written_outside_the_package(installed: Installed) -> None:
    made = installed.run("agon", "new-game", "mine")
    [export] = re.findall("export AGON_GAMES=(.*)", made)
    assert export == str(installed.folder / "games")
    [guide] = re.findall(r"; (\S+) explains each file", made)
    assert Path(guide).read_text().startswith("# ")
    checked = installed.run("env", f"AGON_GAMES={export}", "agon", "check-game", "mine")
    assert "mine passes" in checked


def a_site_is_served(installed: Installed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [installed.environment / "bin" / "agon", "serve", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=installed.folder, env=installed.variables(), stdout=subprocess.PIPE, text=True
    ) as site:
        try:
            first = wait_for(f"http://127.0.0.1:{port}/", site)
            assert "Honest Rock-Paper-Scissors" in first
            [css, *_] = re.findall(r'rel="stylesheet" href="([^"]+)"', first)
            for address in (css, "/docs/", "/docs/guides/compete/", "/c/coup/rules/"):
                assert page(f"http://127.0.0.1:{port}{address}")
        finally:
            site.send_signal(signal.SIGINT)
        assert site.wait(60) in (0, 130)
    assert (installed.folder / "data" / "agon").is_dir()


def wait_for(address: str, site: "subprocess.Popen[str]") -> str:
    """The page, as soon as the site serves it."""
    for line in site.stdout or ():
        if address.rstrip("/") in line:
            return page(address)
    raise AssertionError(f"the site ended with {site.wait()} before it served {address}")


def page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=STARTS_WITHIN) as response:
        return str(response.read().decode())
