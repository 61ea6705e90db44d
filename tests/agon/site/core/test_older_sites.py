"""What a version has written, every later one reads.

The data of each release (tests/data/make.py) is migrated to the newest state, all of its pages are opened,
and its archives and its record are verified.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from agon.contest.archive.verify import verify
from games.core.replay import check
from tests.support.databases import migrated
from tests.support.processes import ROOT

pytestmark = pytest.mark.slow

DATA = ROOT / "tests/data"
VERSIONS = [path.name for path in sorted(DATA.iterdir()) if (path / "site.sql").exists()]
OPEN_PAGES = """
import json, re
from django.test import Client
from agon.site.accounts.models import User
from tests.support.crawling import crawled
found = {}
# The administration links to files that are not served, and to pages that closed accounts do not have.
not_there = re.compile("^/(artifacts|sources|admin/r)/")
for name in READERS:
    reader = Client(headers={"host": "localhost", "accept-language": "ja"})
    if name:
        reader.force_login(User.objects.get(username=name))
    pages = crawled(reader, ["/", "/admin/"] if name == "admin" else ["/"], not_there, MOST_ALIKE)
    found[str(name)] = {address: body.decode(errors="replace") for address, body in pages.items()}
print(json.dumps(found))
"""
MAKE_DOWNLOADS = """
import sys
from agon.site.archives import services
from agon.site.tournaments.models import Tournament
sys.stdout.buffer.write(b"".join(services.of_tournament(Tournament.objects.get(name="Cup"))))
"""


@pytest.fixture(scope="module", params=VERSIONS)
def version(request):
    """The folder with what this version wrote."""
    return DATA / request.param


@pytest.fixture(scope="module")
def site(version, tmp_path_factory, store):
    """A site of this version, migrated to the newest state: its environment."""
    var = tmp_path_factory.mktemp("site")
    shutil.copyfile(migrated(store.parent, version / "site.sql"), var / "agon.sqlite3")
    shutil.copytree(version / "media", var / "media")
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment["AGON_VAR"] = str(var)
    return environment


def manage(environment, *arguments):
    command = [sys.executable, ROOT / "manage.py", *arguments]
    path = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    ran = subprocess.run(command, env=environment | {"PYTHONPATH": path}, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    return ran.stdout


def pages_of(site, readers, most_alike=None):
    """By reader, the pages that links lead to: status, headers and body by address."""
    chosen = f"READERS, MOST_ALIKE = {readers}, {most_alike}\n"
    return json.loads(manage(site, "shell", "-v0", "-c", chosen + OPEN_PAGES))


@pytest.fixture(scope="module")
def pages(site):
    """As the administrator sees them, who gets the most, and ada, who has bots: a few of each kind."""
    return pages_of(site, ("ada", "admin"), most_alike=6)


def test_no_migration_is_missing(site):
    assert manage(site, "makemigrations", "--check") == b"No changes detected\n"


@pytest.mark.parametrize("reader", ["ada", "admin"])
def test_every_page_that_a_link_leads_to_is_shown(pages, reader):
    assert_shown(pages[reader])


@pytest.mark.exhaustive
@pytest.mark.parametrize("reader", [None, "ada", "olga", "admin"])
def test_every_page_of_each_kind_is_shown_to_every_role(site, reader):
    assert_shown(pages_of(site, (reader,))[str(reader)])


def assert_shown(pages):
    status = {address: int(page.partition(" ")[0]) for address, page in pages.items()}
    assert len(status) > 50
    forms = {address for address, code in status.items() if code == 405}  # they are only posted to
    assert {address for address, code in status.items() if code >= 400} == forms


def test_the_pages_show_what_happened(pages):
    def shown(pattern):
        return any(re.search(pattern, page) for page in pages["admin"].values())

    assert shown("Honest Ada")  # the bot that was renamed
    assert shown("It crashes on purpose.")
    assert shown("alpha:core0")
    assert shown("the storage is away")


def test_the_chain_of_results_is_what_the_database_leads_to(site):
    assert manage(site, "check_chain").startswith(b"days checked: ")


def test_ratings_are_those_that_the_results_lead_to(site):
    assert b" 0 differences" in manage(site, "recompute_ratings", "--check")


@pytest.mark.parametrize("name", ["cup.zip", "match.zip", "command_line.zip"])
def test_an_archive_is_sound(version, name):
    report = verify(version / name)
    assert report.differences == ()
    assert report.matches > 0
    assert report.signature.startswith("unsigned" if name == "command_line.zip" else "signed by ")


@pytest.mark.exhaustive
def test_the_archive_of_the_tournament_is_made_again(site, version, tmp_path):
    (tmp_path / "cup.zip").write_bytes(manage(site, "shell", "-v0", "-c", MAKE_DOWNLOADS))
    again, before = verify(tmp_path / "cup.zip"), verify(version / "cup.zip")
    assert (again.differences, again.matches) == ((), before.matches)


def test_a_record_is_replayed_to_the_same_match(version):
    data = (version / "record.json").read_bytes()
    checked = check(data)
    assert checked.differences == []
    assert [fault.kind for fault in checked.log.faults] == ["crash"]
    assert verify(version / "record.json").sound
