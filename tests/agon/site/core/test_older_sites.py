"""A site of before: the migrations bring its database forward, and its pages show its records."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agon.contest.archive.verify import verify

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
SHOW = """
from django.test import Client
print(Client(headers={"host": "localhost"}).get("/matches/2/").content.decode())
"""
ARCHIVE = """
import sys
from agon.site.archives import services
from agon.site.tournaments.models import Tournament
[cup] = Tournament.objects.all()
sys.stdout.buffer.write(b"".join(services.of_tournament(cup)))
"""


def migrated(number, folder):
    """A site that wrote records of format `number`, migrated: its environment."""
    data = ROOT / f"tests/data/format_{number}"
    with sqlite3.connect(folder / "agon.sqlite3") as database:
        database.executescript((data / "site.sql").read_text())
    database.close()
    shutil.copytree(data / "media", folder / "media")
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment["AGON_VAR"] = str(folder)
    manage(environment, "migrate", "-v0")
    return environment


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of the time of format 1."""
    return migrated(1, tmp_path_factory.mktemp("site"))


def manage(environment, *arguments):
    command = [sys.executable, ROOT / "manage.py", *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


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


def test_tournaments_keep_their_organizers_and_the_group_has_the_name_of_now(site):
    assert rows(
        site,
        "select cup.name, username from tournaments_tournament cup"
        " join accounts_user on accounts_user.id = cup.organizer_id order by cup.id",
    ) == [("Cup", "ada"), ("Draft", "ada")]
    assert rows(site, "select name from auth_group") == [("Organizers",)]


def test_matches_and_faults_keep_what_was_written_under_the_names_of_before(site):
    [(summary, steps)] = rows(site, "select summary, steps from matches_match where state = 'finished'")
    assert json.loads(summary) == {"draw": False, "strengths": [4, 3, 5, 6, 3, 6], "winner": 3}
    assert steps == 9
    assert rows(site, "select kind, step from matches_fault order by id") == [("timeout", 2), ("crash", 4)]


def test_the_page_of_a_match_shows_its_record(site):
    page = manage(site, "shell", "-v0", "-c", SHOW).decode()
    assert "turn 3, day: no answer within 1000 ms" in page
    assert "negotiates with lord 3 ×5" in page


def test_a_site_whose_records_held_everything_shows_them_and_packs_them_into_archives(tmp_path):
    site = migrated(2, tmp_path)
    page = manage(site, "shell", "-v0", "-c", SHOW).decode()
    assert "turn 3, day: no answer within 1000 ms" in page
    (tmp_path / "cup.zip").write_bytes(manage(site, "shell", "-v0", "-c", ARCHIVE))
    report = verify(tmp_path / "cup.zip")
    assert (report.differences, report.matches) == ((), 4)


def test_ratings_are_made_of_the_results_of_before(site):
    said = manage(site, "recompute_ratings", "--check").decode()
    assert " 0 differences" in said
    counted = rows(site, "select sum(played) from leaderboards_rating")
    seats = rows(
        site,
        "select count(*) from matches_seat seat join matches_match played on played.id = seat.match_id"
        " where played.kind = 'ladder' and played.state = 'finished'",
    )
    assert counted == seats != [(0,)]
    assert rows(site, "select count(*) from leaderboards_paircount") != [(0,)]
