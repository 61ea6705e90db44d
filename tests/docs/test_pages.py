"""What the pages for people name is there: files, links, packages, languages."""

import itertools
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from games.core.manifest import GameInfo, HouseBot, all_games, house_bots
from sandbox.languages.registry import all_languages, get

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# In these two, files are also named that are the reader's own.
OF_OURS = [page for page in PAGES if page.name not in ("README.md", "write-a-game.md")]
OF_A_SITE = {
    "var/",
    "/api/v1/",
    "/device/",
    "imprint.md",
    "privacy.md",
    "imprint.ja.md",
}  # a running site has them
FILE = re.compile(r"`([\w<>./*-]+(?:/|\.(?:py|js|md|toml|yml|txt|c|css|html)))`")


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """Every file of the project, and every folder with a slash at its end."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    files = [name for name in listed if (ROOT / name).is_file()]
    return files + [f"{folder}/" for name in files for folder in map(str, Path(name).parents)]


@pytest.mark.parametrize("page", OF_OURS, ids=lambda page: page.name)
def test_the_files_that_a_page_names_are_there(page: Path, tracked: list[str]) -> None:
    named = set(FILE.findall(page.read_text(encoding="utf-8"))) - OF_A_SITE
    assert [name for name in named if not is_there(name, tracked)] == []


def is_there(name: str, tracked: list[str]) -> bool:
    """Whether a file or folder is called so, from wherever the page counts; `<slug>` and `*` are anything."""
    pattern = re.compile(r"(?:.*/)?" + re.sub(r"<\w+>|\\\*", "[^/]+", re.escape(name)))
    return any(map(pattern.fullmatch, tracked))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_what_is_there(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    for path, anchor in targets:
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors that Git hosts make of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_package_that_is_asked_for_has_its_reason_and_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["site"]]
    for file in (ROOT / "requirements").glob("*.in"):
        lines += [line for line in file.read_text().splitlines() if re.match(r"\w", line)]
    asked = {re.split(r"[~=<>;\[ ]", line)[0] for line in lines}
    ours = (
        (ROOT / "docs" / "explanations" / "dependencies.md")
        .read_text(encoding="utf-8")
        .partition("## From Debian")[0]
    )
    assert set(re.findall(r"^\| ([\w-]+) \|", ours, re.MULTILINE)) - {"package"} == asked


@pytest.mark.parametrize("info", all_games(), ids=lambda info: info.slug)
def test_the_page_about_house_bots_has_every_ladder_as_it_is(info: GameInfo) -> None:
    page = (ROOT / "docs" / "reference" / "house-bots.md").read_text(encoding="utf-8")
    part = page.partition(f"## {info.title}\n")[2].partition("\n## ")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", part, re.MULTILINE)]
    ladder = [(name, strength, language) for name, strength, language, *rest in rows if len(rest) == 1]
    assert ladder == [("bot", "strength", "language"), *map(row_of, reversed(house_bots(info)))]
    beaten = [(stronger, weaker) for stronger, weaker, *figures in rows if len(figures) == 7]
    assert beaten == [("bot", "beats"), *itertools.pairwise(name for name, _, _ in ladder[1:])]


def row_of(bot: HouseBot) -> tuple[str, str, str]:
    return bot.name, str(bot.strength), get(bot.language).title + " (folder)" * bot.path.is_dir()


def test_the_front_page_counts_the_languages() -> None:
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Of {len(all_languages())} [languages]" in front


def test_the_version_of_numpy_that_bots_get_is_the_pinned_one() -> None:
    locked = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "reference" / "languages.md").read_text(encoding="utf-8")
    pinned = re.search(r"(?m)^numpy==([0-9.]+)", locked)
    assert pinned is not None
    assert f"| bubblewrap | {pinned[1]}, " in page
