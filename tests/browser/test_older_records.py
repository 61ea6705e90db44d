"""The replay of a record of the format before the present one."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from agon.contest.replay_data import ENGLISH, whole
from games.core.manifest import GAMES
from games.core.replay import log_of
from tests.support.drawing import answer_with

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SITE = "http://site.test"
BEFORE = Path(__file__).parents[1] / "data" / "format_1"
PAGE = b"""<!doctype html><html lang="en"><title>match</title><body>
<div id="place" data-viewer="/game.js" data-log="/log.json" data-failed="failed"></div>
<script type="module" src="/static/js/viewer.js"></script>"""


def shown_at_the_end(browser: Browser, game: str, record: bytes) -> str:
    page = browser.new_page()
    viewer = (GAMES / game / "viewer.js").read_bytes()
    answer_with(
        page,
        SITE,
        {"/": PAGE, "/game.js": viewer, "/log.json": json.dumps(whole(log_of(record), ENGLISH)).encode()},
    )
    page.goto(f"{SITE}/")
    page.get_by_label("Last", exact=True).click()
    expect(page.locator("output")).to_be_visible()
    words = page.locator(".says").inner_text()
    page.close()
    return words


def test_the_faults_and_the_summary_of_an_older_record_are_shown(browser: Browser, tmp_path: Path) -> None:
    shutil.unpack_archive(BEFORE / "camel_up.zip", tmp_path / "camel_up")
    shutil.unpack_archive(BEFORE / "coup.zip", tmp_path / "coup")
    camel_up, coup = (tmp_path / game / "matches/0/record.json" for game in ("camel_up", "coup"))

    assert "quits wins" in shown_at_the_end(browser, "camel_up", camel_up.read_bytes())
    assert "'?' was appended" in shown_at_the_end(browser, "coup", coup.read_bytes())
