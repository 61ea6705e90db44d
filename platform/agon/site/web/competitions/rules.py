"""A game's rules page: `games/<slug>/rules.<language>.md`, the manifest's limits filled in, as safe HTML.

games/core/placeholders.py lists the placeholders, such as `{{ turn_s }}`.
"""

import functools
from pathlib import Path
from typing import NamedTuple

from agon.site.web.core.markdown import Heading, render
from games.core.manifest import GameInfo, load
from games.core.placeholders import fill

FALLBACK = "en"


class Rules(NamedTuple):
    """html: safe. language: of the text, possibly the fallback. headings: second level, in order."""

    html: str
    language: str
    headings: tuple[Heading, ...]


def rules_of(info: GameInfo, language: str) -> Rules | None:
    """The rules in `language`, otherwise in English; None if the game has no rules page."""
    for code in (language, FALLBACK):
        path = info.folder / f"rules.{code}.md"
        if path.is_file():
            html, headings = _render(path, path.stat().st_mtime_ns, info.slug)
            return Rules(html, code, headings)
    return None


@functools.lru_cache(maxsize=64)
def _render(path: Path, changed: int, slug: str) -> tuple[str, tuple[Heading, ...]]:
    """`changed` is only part of the cache key: an edited page is rendered again."""
    html, headings = render(fill(path.read_text(encoding="utf-8"), load(slug)))
    return html, tuple(heading for heading in headings if heading.level == 2)
