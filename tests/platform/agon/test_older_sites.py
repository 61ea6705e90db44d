"""A site of before: the migrations bring its database forward, and its pages show its records."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
BEFORE = ROOT / "tests/data/before_issue"
SHOW = """
from django.test import Client
print(Client(headers={"host": "localhost"}).get("/matches/2/").content.decode())
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A migrated site: its environment."""
    folder = tmp_path_factory.mktemp("site")
    with sqlite3.connect(folder / "agon.sqlite3") as database:
        database.executescript((BEFORE / "site.sql").read_text())
    database.close()
    shutil.copytree(BEFORE / "media", folder / "media")
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment["AGON_VAR"] = str(folder)
    manage(environment, "migrate", "-v0")
    return environment


def manage(environment, *arguments):
    command = [sys.executable, ROOT / "manage.py", *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def rows(site, query):
    database = sqlite3.connect(Path(site["AGON_VAR"]) / "agon.sqlite3")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def test_tournaments_keep_the_seats_that_they_were_scheduled_with(site):
    assert rows(site, "select name, seats from tournaments_tournament order by id") == [
        ("Cup", 4),
        ("Draft", 4),
    ]


def test_matches_and_faults_keep_what_was_written_under_the_names_of_before(site):
    [(summary, steps)] = rows(site, "select summary, steps from matches_match where state = 'finished'")
    assert json.loads(summary) == {"draw": False, "strengths": [4, 3, 5, 6, 3, 6], "winner": 3}
    assert steps == 9
    assert rows(site, "select kind, step from matches_fault order by id") == [("timeout", 2), ("crash", 4)]


def test_the_page_of_a_match_shows_its_record(site):
    page = manage(site, "shell", "-v0", "-c", SHOW)
    assert "turn 3, day: no answer within 1000 ms" in page
    assert "negotiates with lord 3 ×5" in page
