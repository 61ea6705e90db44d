"""`agon check-game --report`: one file with all that was found and measured."""

import re
import tomllib
from typing import Any, NamedTuple

import pytest

from tests.agon.site.web.conftest import browser as browser
from tests.support.accessibility import assert_accessible_and_narrow

from .test_check_game import author, change, new_game

__all__ = ["author", "new_game"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(new_game, agon, environment, tmp_path_factory):
    """The report of a new game, with mutants of one of its lines."""
    games = new_game.parent
    path = tmp_path_factory.mktemp("report") / "report.html"
    lines = (new_game / "referee.py").read_text()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(environment, "AGON_GAMES", str(games))
        options = ("--report", path, "--matches", 40, "--mutants", "--seconds", 5, "--json")
        ran = agon("check-game", "mine", *options)
    assert ran.code == 0, ran.err
    assert ran.err.endswith(f"agon: the report is in {path}\n")
    assert (new_game / "referee.py").read_text() == lines
    return Report(path.read_text(encoding="utf-8"), ran.json["measured"])


class Report(NamedTuple):
    page: str
    measured: dict[str, Any]


@pytest.fixture(scope="module")
def page(made):
    return made.page


def rows(page, heading):
    """The rows of the table below a heading, as text."""
    table = page.partition(f"<h2>{heading}</h2>")[2].partition("</table>")[0]
    table_rows = []
    for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL):
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        table_rows.append([re.sub(r"<.*?>", "", cell) for cell in cells])
    return table_rows[1:]


def test_it_needs_no_other_file_and_runs_nothing(page):
    assert "Content-Security-Policy" in page
    assert not re.search(r"https?:|<script|<link|<img|@import|url\(|\son\w+=", page)


def test_it_says_what_was_measured(page):
    strongest, weakest = rows(page, "Ladder of skill")
    assert (strongest[0], weakest[0]) == ("Starter", "Climber")
    assert [row[0] for row in rows(page, "Advantage of seats")] == ["Seat 1", "Seat 2"]
    assert [(row[0], row[1], row[5]) for row in rows(page, "What house bots need")] == [
        ("Climber", "400", "1 bytes"),
        ("Starter", "400", "1 bytes"),
    ]
    assert "40 matches were played, between 1 line-ups of house bots" in page
    assert "Length<b>10.0 steps</b>10 to 10 on average; from 10 to 10" in page
    assert {row[0] for row in rows(page, "Checks")} == {"ok"}
    assert re.search(r"\d+ of \d+ mutants of the rules are caught", page)


def test_limits_follow_from_what_was_measured_by_the_rule_beside_them(made, new_game):
    """As a reader would compute them from the table, and beside what the manifest says."""
    limits = {row[0]: row[1:] for row in rows(made.page, "Limits")}
    assert limits["answer_bytes"][:3] == ["4", manifest_limit(new_game, "answer_bytes"), "1 bytes"]
    for name, (suggested, given, measured, rule) in limits.items():
        assert given == manifest_limit(new_game, name)
        margin, least = int(rule.split()[0]), int((re.findall(r"at least (\d+)", rule) or [0])[0])
        wanted = max(least, margin * float(measured.split()[0]))
        assert 0.98 * wanted <= int(suggested) <= 2.6 * wanted, name
        assert made.measured["suggested"][name] == int(suggested)
    for bot in made.measured["bots"]:
        # An interpreter of Python is a few MiB, and is not started in no time.
        assert 2_000 < bot["memory_kib"] < 256 * 1024
        assert 0 < bot["ready"] < 60_000
    assert 0 < made.measured["besides_s"] < 60


def manifest_limit(folder, name):
    """Of game.toml; where it says nothing, as docs/guides/write-a-game.md has it."""
    written = tomllib.loads((folder / "game.toml").read_text())["limits"]
    return str({"memory_mib": 256}.get(name) or written[name])


@pytest.mark.browser
def test_it_is_accessible_in_both_looks_and_on_a_phone(page, browser):
    assert_accessible_and_narrow(browser, {"/": page.encode()})


@pytest.mark.exhaustive
def test_a_game_that_fails_has_no_report(author, agon, tmp_path):
    path = tmp_path / "report.html"
    change(author, "viewer.js", "export default", "export")
    assert agon("check-game", "mine", "--report", path).code == 1
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--report", "gone/report.html"], "--report: there is no folder gone"),
        (["--report", "."], "is a directory"),
        (["--report", "/proc/report.html"], "--report: /proc/report.html cannot be written: "),
        (["--report", "a", "--matches", "0"], "'--matches': Input should be greater than or equal to 1"),
        (["--report", "a", "--seconds", "1e9"], "'--seconds': Input should be a valid integer"),
        (["--mutants", "--tests", "gone.py"], "does not exist"),
    ],
)
def test_wrong_options_are_named(agon_here, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = agon_here("check-game", "mine", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in " ".join(re.sub(r"[│╭╮╰╯─]", " ", ran.err).split())
