"""Checks of a game's folder beside its code: rules pages, house bots, a viewer. They return what is wrong."""

import re
from collections.abc import Mapping

from games.core.manifest import GameInfo, house_bots, starters
from games.core.placeholders import PLACEHOLDER, values_of

ENGLISH = "rules.en.md"
_EXPORTED = re.compile(r"^export (default\b|\{[^}]*\bas default\b)", re.MULTILINE)


def bots(info: GameInfo) -> list[str]:
    """Two house bots or more, weakest first, one of them a starter. Raises BadManifest for a missing file."""
    result = []
    house = house_bots(info)
    strengths = [bot.strength for bot in house]
    if len(house) < 2:
        result.append(f"expected two house bots or more, there are {len(house)}")
    if not starters(info):
        result.append("there is no bot to start from: neither a house bot nor one of [[starters]]")
    if strengths != sorted(strengths):
        result.append(f"expected the weakest house bot first, got strengths {', '.join(map(str, strengths))}")
    return result


def viewer(info: GameInfo) -> list[str]:
    """A module whose default export draws a replay."""
    path = info.folder / "viewer.js"
    if not path.is_file():
        return ["there is no viewer.js"]
    if not _EXPORTED.search(path.read_text(encoding="utf-8", errors="replace")):
        return ["viewer.js: expected `export default function view(element, log, language)`"]
    return []


def rules_pages(info: GameInfo) -> list[str]:
    """An English page that states time and memory by placeholders; the same placeholders in every
    language."""
    pages = {
        path.name: _placeholders(path.read_text(encoding="utf-8")) for path in info.folder.glob("rules.*.md")
    }
    if ENGLISH not in pages:
        return [f"there is no {ENGLISH}"]
    return [
        *_unknown_placeholders(pages, values_of(info)),
        *_unstated_limits(pages[ENGLISH], info),
        *_mismatched(pages),
    ]


def _placeholders(text: str) -> frozenset[str]:
    return frozenset(place[1] for place in PLACEHOLDER.finditer(text))


def _unknown_placeholders(pages: Mapping[str, frozenset[str]], known: Mapping[str, str]) -> list[str]:
    return [
        f"{page}: {{{{ {place} }}}} stands for nothing; there are {', '.join(sorted(known))}"
        for page, places in sorted(pages.items())
        for place in sorted(places - known.keys())
    ]


def _unstated_limits(places: frozenset[str], info: GameInfo) -> list[str]:
    needed = [("turn_s", "turn_ms"), ("memory_mib",)]
    if info.limits.ready_ms is not None:
        needed.append(("ready_s", "ready_ms"))
    return [
        f"{ENGLISH}: expected {' or '.join(f'{{{{ {name} }}}}' for name in names)}, which bots must know"
        for names in needed
        if not places & set(names)
    ]


def _mismatched(pages: Mapping[str, frozenset[str]]) -> list[str]:
    wanted = pages[ENGLISH]
    return [
        f"{page}: expected the placeholders of {ENGLISH}, differs in {', '.join(sorted(names ^ wanted))}"
        for page, names in sorted(pages.items())
        if names != wanted
    ]
