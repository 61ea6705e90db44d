"""A whole site, started as a user would, with everything in it real."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from agon.cli.examples import AT_HOME
from agon.supervisor.children import descendants
from tests.support.cpu_load import if_alone
from tests.support.sites import migrated_site_folder, serving, site_folder

pytestmark = pytest.mark.slow

AGON_SERVE = [sys.executable, "-m", "agon", "serve"]
[EXAMPLE] = AT_HOME["serve"]  # in its help


class Served:
    """A site with a folder and a port of its own."""

    def __init__(self, var: Path, port: int, command: Sequence[str] = AGON_SERVE) -> None:
        folder = str(site_folder(var))
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            env=os.environ | {"AGON_VAR": folder, "PORT": str(port), "AGON_SANDBOX": "bubblewrap"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_until_ready(self) -> str:
        """What it said until then."""
        said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said += line
            if "Agon is at" in line:
                # The lines of one announcement come together.
                return said + self.process.stdout.readline()
        raise AssertionError(f"ended with {self.process.wait()}: {said}")

    def stop(self, number: signal.Signals = signal.SIGINT) -> str:
        """The last words of a site told to stop."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        if self.process.stdout is None or self.process.stdout.closed:
            return ""
        return self.last_words()

    def last_words(self) -> str:
        """What it says until it ends."""
        try:
            said, _ = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return said


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.fixture
def served(tmp_path: Path, port: int) -> Iterator[Served]:
    site = Served(tmp_path / "var", port, [sys.executable, "-m", *EXAMPLE.replace("8080", str(port)).split()])
    yield site
    site.stop(signal.SIGTERM)


@pytest.fixture
def without_house_bots(tmp_path: Path, port: int) -> Iterator[Served]:
    site = Served(migrated_site_folder(tmp_path / "var"), port, serving())
    yield site
    site.stop(signal.SIGTERM)


def started_at(pid: int) -> str | None:
    """Tells a process from a later one of the same number; None if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def nice_of(site: int, command: bytes) -> set[int]:
    """Of the processes of a site whose command says so. Others, such as boxes, come and go meanwhile."""
    priorities = set()
    for pid in descendants(site):
        with suppress(FileNotFoundError, ProcessLookupError):
            if command in Path(f"/proc/{pid}/cmdline").read_bytes():
                priorities.add(os.getpriority(os.PRIO_PROCESS, pid))
    return priorities


@pytest.mark.serial
def test_a_site_starts_serves_stops_at_once_and_goes_on_later(served, tmp_path, port):
    said = served.wait_until_ready()
    print(f"first start: {time.monotonic() - served.started:.1f} s")
    assert re.search(r"Administrator: admin, password \S{8,}", said)
    assert httpx.get(f"http://127.0.0.1:{port}/", timeout=60).status_code == 200

    family = {pid: started_at(pid) for pid in descendants(served.process.pid)}
    assert len(family) >= 4  # web, workers, builder, scheduler
    [web], [players] = (
        nice_of(served.process.pid, name) for name in (b"agon.supervisor.web", b"interactive,bulk")
    )
    assert web < players, "pages do not wait for matches"
    asked = time.monotonic()
    assert "Stopped" in served.stop()
    assert served.process.returncode == 0
    assert time.monotonic() - asked <= if_alone(5)
    assert [pid for pid, start in family.items() if start is not None and started_at(pid) == start] == []

    again = Served(tmp_path / "var", port)
    try:
        said = again.wait_until_ready()
        took = time.monotonic() - again.started
        print(f"later start: {took:.1f} s")
        assert took <= if_alone(10)
        assert "password" not in said
    finally:
        again.stop()


def test_a_site_that_ends_before_it_is_ready_shows_the_password_of_its_administrator(
    tmp_path, port, monkeypatch
):
    """The account is there by then, and no later start would show it."""
    var = migrated_site_folder(tmp_path / "var")
    (tmp_path / "uvicorn.py").write_text("raise SystemExit('no web server here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    said = Served(var, port, serving()).last_words()
    assert "Agon is at" not in said
    assert said.count("Administrator: admin, password ") == 1


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        site = Served(tmp_path / "var", port)
        assert re.fullmatch(rf"agon: Port {port} on 127\.0\.0\.1 is in use\. .*\n", site.last_words())
    assert site.process.returncode == 1


@pytest.mark.exhaustive
def test_a_second_site_in_the_same_folder_or_on_the_same_port_is_refused_in_a_sentence(
    without_house_bots, tmp_path, port
):
    without_house_bots.wait_until_ready()
    same_folder = Served(tmp_path / "var", port + 1)
    said = same_folder.last_words()
    assert same_folder.process.returncode == 1
    assert re.fullmatch(
        rf"agon: Agon is already running from this folder, at http://127\.0\.0\.1:{port}\. "
        r"Stop that instance first\.\n",
        said,
    )

    same_port = Served(tmp_path / "other", port)
    said = same_port.last_words()
    assert same_port.process.returncode == 1
    assert re.fullmatch(rf"agon: Port {port} on 127\.0\.0\.1 is in use\. .*\n", said)


@pytest.mark.parametrize("number", ["0", "65536", "http"])
def test_a_port_that_is_none_is_refused_before_anything_is_done(tmp_path, number):
    result = subprocess.run(
        AGON_SERVE,
        env=os.environ | {"AGON_VAR": str(tmp_path / "var"), "PORT": number},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert "(env var: 'PORT')" in result.stderr
    assert not (tmp_path / "var").exists()


def test_without_a_sandbox_nothing_is_started(tmp_path, port):
    result = subprocess.run(
        AGON_SERVE,
        env=os.environ
        | {
            "AGON_VAR": str(tmp_path / "var"),
            "PORT": str(port),
            "AGON_SANDBOX": "docker",
            "DOCKER_HOST": f"unix://{tmp_path}/nobody.sock",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 3
    assert re.fullmatch(r"agon: Bots are never run without a sandbox: .*\n", result.stderr)
    assert not (tmp_path / "var" / "agon.sqlite3").exists()
