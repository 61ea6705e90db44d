"""A whole site as `make run` starts it, and Debian's Chromium to look at it."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.support.chromium import chromium
from tests.support.sites import serving, site_folder

expect.set_options(timeout=60_000)  # milliseconds; 5 s are too short on a busy machine


@dataclass(frozen=True)
class Site:
    url: str
    password: str  # of the account `admin`


@pytest.fixture(scope="package")  # no longer: its processes take memory, and it plays
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    var = site_folder(tmp_path_factory.mktemp("site") / "var")
    process = subprocess.Popen(
        serving(coup=3),
        env=os.environ | {"AGON_VAR": str(var), "PORT": str(port), "AGON_SANDBOX": "bubblewrap"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Site(f"http://127.0.0.1:{port}", password_said_by(process))
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


def password_said_by(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        assert "house bots uploaded" not in line or line.startswith("3 house"), f"no site of tests: {line}"
        if found := re.search(r"Administrator: admin, password (\S+)", line):
            return found[1]
    raise AssertionError("the site ended before it was ready")


@pytest.fixture(scope="module")  # no longer: it has this thread's event loop
def browser() -> Iterator[Browser]:
    with chromium() as program:
        yield program


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A window of somebody not signed in. Failing scripts and requests to other machines fail the test."""
    context = browser.new_context(
        base_url=site.url,
        viewport={"width": 1280, "height": 900},
        locale="en-GB",
        reduced_motion="reduce",  # drawing takes more of the processor than all else
    )
    context.set_default_timeout(60_000)
    window = context.new_page()
    wrong: list[str] = []
    window.on("pageerror", lambda error: wrong.append(str(error)))
    window.on("console", lambda message: wrong.append(message.text) if is_wrong(message) else None)
    window.on(
        "request",
        lambda request: (
            None if request.url.startswith((site.url, "data:", "blob:")) else wrong.append(request.url)
        ),
    )
    yield window
    context.close()
    assert wrong == []


def is_wrong(message: ConsoleMessage) -> bool:
    """htmx calls it an error when a page is left while it asks for its news; nobody else does."""
    left = message.text.startswith(("htmx:sendAbort", "htmx:afterRequest"))
    return message.type == "error" and not left
