"""A competitor makes a token in the browser; the rest is done by program, with a site whose workers play."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from .test_main_line import BOT, PASSWORD, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_from_a_token_to_a_rating_and_a_verified_archive(page: Page, site, tmp_path: Path) -> None:
    sign_up(page, "grace")
    page.goto("/u/grace/")
    page.get_by_role("link", name="Access tokens").click()
    page.get_by_label("Name").fill("laptop")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Make the token").click()
    token = page.locator("#made").inner_text()

    def agon(*arguments: str) -> str:
        environment = os.environ | {"HOME": str(tmp_path), "AGON_SITE": site.url, "AGON_TOKEN": token}
        command = [sys.executable, "-m", "agon", *arguments]
        result = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    made = json.loads(agon("submit", "coup", str(BOT), "--bot", "Program", "--json"))
    over = json.loads(agon("watch", str(made["id"]), "--json"))
    assert over["state"] == "active"
    assert over["row"]["best"] >= 1
    assert "Program" in agon("board", "coup")
    matches = agon("matches", "--bot", str(made["bot"]), "--state", "finished", "--format", "json(id)")
    number = str(json.loads(matches.splitlines()[0])["id"])
    agon("download", "match", number)
    assert "sound" in agon("verify", f"match-{number}.zip")
