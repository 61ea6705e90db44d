"""When CI tests every language, and which long runs: read from real histories."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.core.manifest import all_games

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from changed import COVERED, languages_concerned, part_of_the_day  # noqa: E402

NOW = 1_800_000_000
HOUR = 3600


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str, when: int = NOW) -> None:
        told = {"GIT_COMMITTER_DATE": f"{when} +0000", "GIT_AUTHOR_DATE": f"{when} +0000"}
        who = {
            f"GIT_{role}_{what}": "x@example.org"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        subprocess.run(["git", "-C", self.folder, *words], check=True, env=os.environ | told | who)

    def commit(self, path: str, when: int) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(when))
        self.git("add", path)
        self.git("commit", "--quiet", "--message", path, when=when)


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "upstream")
    made.commit("sandbox/building/build.py", NOW - 100 * HOUR)
    made.commit("README.md", NOW - 90 * HOUR)
    return made


def clone(upstream: Repository, name: str, *options: str) -> Repository:
    made = object.__new__(Repository)
    made.folder = upstream.folder.with_name(name)
    subprocess.run(["git", "clone", "--quiet", *options, upstream.folder.as_uri(), made.folder], check=True)
    return made


def files(*pathspecs: str) -> list[str]:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--", *pathspecs], check=True, capture_output=True, text=True
    )
    return listed.stdout.splitlines()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this copy of the project is no repository")
@pytest.mark.parametrize("pathspec", COVERED)
def test_what_is_covered_is_there(pathspec: str) -> None:
    assert files(pathspec)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this copy of the project is no repository")
def test_languages_and_all_programs_written_in_them_are_covered() -> None:
    covered = set(files(*COVERED))
    assert set(files("sandbox/languages", "tests/bots")) <= covered
    for info in all_games():
        assert set(files(f"games/{info.slug}/bots")) <= covered


def test_a_submission_that_leaves_the_languages_alone_does_not_test_them_all(upstream: Repository) -> None:
    upstream.commit("sandbox/languages/d.toml", NOW - 13 * HOUR)
    upstream.commit("docs/a.md", NOW - HOUR)
    upstream.commit("games/coup/referee.py", NOW)
    upstream.commit("sandbox/boxes/box.py", NOW)
    upstream.commit("scripts/test.py", NOW)
    assert not languages_concerned(clone(upstream, "fresh").folder)


@pytest.mark.parametrize(
    "path", ["sandbox/languages/d.toml", "tests/bots/coup/languages/bot.d", "games/coup/bots/new.py"]
)
def test_one_that_changes_them_does_whatever_came_after_it(upstream: Repository, path: str) -> None:
    upstream.commit(path, NOW - 11 * HOUR)
    upstream.commit("docs/a.md", NOW)
    assert languages_concerned(clone(upstream, "fresh").folder)


def test_a_branch_is_compared_with_where_it_left(upstream: Repository) -> None:
    upstream.commit("sandbox/building/build.py", NOW - 2 * HOUR)
    here = clone(upstream, "here")
    here.git("switch", "--quiet", "--create", "topic")
    here.commit("docs/a.md", NOW)
    assert not languages_concerned(here.folder)
    here.commit("sandbox/building/recipes.py", NOW)
    here.commit("docs/b.md", NOW + 48 * HOUR)
    assert languages_concerned(here.folder)


@pytest.mark.parametrize("committed", [True, False])
def test_what_is_not_committed_counts(upstream: Repository, committed: bool) -> None:
    upstream.commit("docs/a.md", NOW)
    path = "sandbox/building/build.py" if committed else "sandbox/languages/new.toml"
    (upstream.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (upstream.folder / path).write_text("changed")
    assert languages_concerned(upstream.folder)


def test_where_the_history_does_not_tell_everything_is_tested(upstream: Repository, tmp_path: Path) -> None:
    upstream.commit("docs/a.md", NOW)
    assert languages_concerned(clone(upstream, "shallow", "--depth=1").folder)
    young = Repository(tmp_path / "young")
    assert languages_concerned(young.folder)
    young.commit("README.md", NOW)
    assert languages_concerned(young.folder)
    (tmp_path / "none").mkdir()
    assert languages_concerned(tmp_path / "none")


def test_each_part_of_the_long_runs_has_its_turn_and_a_commit_always_the_same(upstream: Repository) -> None:
    parts = []
    for day in range(4):
        upstream.commit("docs/a.md", NOW + day * 24 * HOUR)
        here = clone(upstream, f"day{day}").folder
        parts.append(part_of_the_day(here, 3))
        assert part_of_the_day(here, 3) == parts[-1]
    assert sorted(parts[:3]) == ["1/3", "2/3", "3/3"]
    assert parts[3] == parts[0]
