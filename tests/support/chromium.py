"""Debian's Chromium for tests: its shell without a window, which takes half the processor time."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    """While it is open, Playwright's event loop runs in this thread."""
    with sync_playwright() as playwright:
        # As root Chromium refuses its own sandbox; it shows only pages of ours.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=options
        )
        try:
            yield browser
        finally:
            browser.close()
