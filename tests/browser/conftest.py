"""A whole site as `make run` starts it, and Debian's Chromium to visit it."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.support.chromium import chromium
from tests.support.sites import migrated_site_folder, serving


@dataclass(frozen=True)
class Site:
    url: str
    password: str  # of the account `admin`


@pytest.fixture(scope="package")  # no wider scope: its processes use memory and processor time
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    var = migrated_site_folder(tmp_path_factory.mktemp("site") / "var")
    process = subprocess.Popen(
        serving(coup=3),
        env=os.environ | {"AGON_VAR": str(var), "PORT": str(port), "AGON_SANDBOX": "bubblewrap"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Site(f"http://127.0.0.1:{port}", printed_password(process))
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


def printed_password(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        assert "house bots uploaded" not in line or line.startswith("3 house"), f"no site of tests: {line}"
        if matched := re.search(r"Administrator: admin, password (\S+)", line):
            return matched[1]
    raise AssertionError("the site ended before it was ready")


@pytest.fixture(scope="module")  # no wider scope: it occupies the event loop of this thread
def browser() -> Iterator[Browser]:
    with chromium() as program:
        yield program


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """The window of an anonymous visitor. Script errors and requests to other hosts fail the test."""
    context = browser.new_context(
        base_url=site.url,
        viewport={"width": 1280, "height": 900},
        locale="en-GB",
        reduced_motion="reduce",  # animations take most of the processor time
    )
    context.set_default_timeout(60_000)
    window = context.new_page()
    errors: list[str] = []
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.on("console", lambda message: errors.append(message.text) if is_error(message) else None)
    window.on(
        "request",
        lambda request: (
            None if request.url.startswith((site.url, "data:", "blob:")) else errors.append(request.url)
        ),
    )
    yield window
    context.close()
    assert errors == []


def is_error(message: ConsoleMessage) -> bool:
    """Whether this is an error, and not a request of htmx that ended because the page was left."""
    aborted = message.text.startswith(("htmx:sendAbort", "htmx:afterRequest"))
    return message.type == "error" and not aborted
