"""A disk that is full, at the start or later, is said in a sentence; the site goes on when there is room."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.support.sites import migrated_site_folder, serving
from tests.support.small_disk import small_disk

from .test_site import AGON_SERVE, Served, port

pytestmark = pytest.mark.slow

__all__ = ["port"]
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A small disk, in KiB."""
    with small_disk(tmp_path / "var", f"size={request.param}k,mode=755") as folder:
        yield folder


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
    return ballast


@pytest.mark.first(1)
@pytest.mark.parametrize("disk", [4, 64, 300], indirect=True)
def test_a_site_is_not_started_on_a_full_disk(disk: Path, port: int) -> None:
    result = subprocess.run(
        AGON_SERVE,
        env=os.environ | {"AGON_VAR": str(disk), "PORT": str(port), "AGON_SANDBOX": "bubblewrap"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert re.fullmatch(
        rf"agon: The disk that holds {disk} is full: free some space there, or .*\n", result.stderr
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("disk", [128 << 10], indirect=True)
def test_a_disk_that_fills_is_said_and_so_is_that_there_is_room_again(
    disk: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGON_FREE_MIB", "8")
    served = Served(migrated_site_folder(disk), port, serving())
    try:
        served.wait_until_ready()
        output = served.process.stdout
        assert output is not None
        ballast = fill(disk)
        line = next(line for line in output if "disk" in line)
        assert re.fullmatch(
            rf"{TIME} agon: The disk that holds {disk} is nearly full: \d MiB are free, .*\n", line
        )
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as browser:
            assert browser.get("/").status_code == 200

            ballast.unlink()
            line = next(line for line in output if "available" in line)
            assert re.fullmatch(rf"{TIME} agon: Disk space is available again; work resumes\.\n", line)
            assert sign_up(browser).status_code == 302
    finally:
        served.stop()


def sign_up(browser: httpx.Client) -> httpx.Response:
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', browser.get("/accounts/signup/").text)
    assert token
    words = "correct horse battery"
    form = {"username": "ada", "password1": words, "password2": words, "csrfmiddlewaretoken": token[1]}
    return browser.post("/accounts/signup/", data=form)
