"""A competitor makes a token in the browser; the rest is done by program, with a site whose workers play."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from .test_main_line import BOT, PASSWORD, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def token_of(page: Page, name: str) -> str:
    """A token of a new account."""
    sign_up(page, name)
    page.goto(f"/u/{name}/")
    page.get_by_role("link", name="Access tokens").click()
    page.get_by_label("Name").fill("laptop")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Make the token").click()
    return page.locator("#made").inner_text()


@pytest.mark.exhaustive
def test_from_a_token_to_a_rating_and_a_verified_archive(page: Page, site, tmp_path: Path) -> None:
    token = token_of(page, "grace")

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


@pytest.mark.exhaustive
def test_a_script_with_nothing_but_llms_txt_gets_a_bot_rated_in_ten_calls(page: Page, site) -> None:
    """It knows the address of the file, the token, and what the file and the answers say."""
    token = token_of(page, "lovelace")
    calls = []

    def call(address: str, **options) -> httpx.Response:
        calls.append(address)
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.request(options.pop("method", "GET"), address, headers=headers, timeout=60, **options)
        assert answer.is_success, answer.text
        return answer

    steps = re.findall(r"`(GET|POST) (\S+)`", call(f"{site.url}/llms.txt").text)
    listed, rules, _game, starters, enter, follow, rungs = [address for _method, address in steps[:7]]
    # Other tests open competitions on this site; the newest come first.
    chosen = [row for row in call(listed).json()["items"] if row["state"] == "open"][-1]
    assert "# " in call(rules.replace("GAME", chosen["game"])).text
    offered = call(starters.replace("SLUG", chosen["slug"])).json()
    program = call(next(starter["file"] for starter in offered if starter["language"] == "python")).content
    files = {"file": ("bot.py", program)}
    address = enter.replace("SLUG", chosen["slug"])
    made = call(address, method="POST", data={"bot": "Lovelace"}, files=files).json()
    while not made["is_final"]:
        made = call(follow.replace("ID", str(made["id"]))).json()
    assert made["state"] == "active", made
    standing: dict[str, Any] = {}
    # Ratings are computed in a moment after the match.
    while not standing or not standing["row"]["played"] or standing["row"]["low"] == standing["row"]["high"]:
        standing = call(rungs.replace("BOT", str(made["bot"]))).json()
    assert standing["row"]["low"] < standing["row"]["rating"] < standing["row"]["high"]
    assert {rung["house"] for rung in standing["rungs"]} >= {True}
    assert standing["beaten"] == sum(rung["verdict"] == "beats" for rung in standing["rungs"])
    # On a busy machine, what waits for 30 s is asked again.
    assert len(set(calls)) <= 8, calls
