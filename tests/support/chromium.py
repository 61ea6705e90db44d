"""Debian's Chromium for tests: the headless shell, with half the processor time of the full browser."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, expect, sync_playwright

expect.set_options(timeout=120_000)  # milliseconds; 5 s are too short on a busy machine


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run a browser. Within the block, Playwright's event loop runs in this thread."""
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not run as root. It is not needed: all pages are ours.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=options
        )
        try:
            yield browser
        finally:
            browser.close()
