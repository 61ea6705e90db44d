"""A game's rules page: `games/<slug>/rules.<language>.md`, the manifest's limits filled in, as safe HTML.

games/core/placeholders.py lists the placeholders, such as `{{ turn_s }}`. Raw HTML in the text is shown as
text.
"""

import functools
import itertools
from pathlib import Path
from typing import NamedTuple

from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from games.core.manifest import GameInfo, load
from games.core.placeholders import fill

FALLBACK = "en"


class Heading(NamedTuple):
    """A heading of a rules page. anchor: its id, for links."""

    anchor: str
    text: str


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
    text = fill(path.read_text(encoding="utf-8"), load(slug))
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    headings = _anchor(tokens)
    for table in (each for each in tokens if each.type == "table_open"):
        table.attrSet("tabindex", "0")  # one that is too wide is scrolled with the keyboard, too
    return str(markdown.renderer.render(tokens, markdown.options, {})), headings


def _anchor(tokens: list[Token]) -> tuple[Heading, ...]:
    """Give every heading an id; those of the second level form the table of contents."""
    found: list[Heading] = []
    used: set[str] = set()
    for opening, inline in itertools.pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or [])
        anchor = slugify(text, allow_unicode=True) or "section"
        while anchor in used:
            anchor += "-"
        used.add(anchor)
        opening.attrSet("id", anchor)
        if opening.tag == "h2":
            found.append(Heading(anchor, text))
    return tuple(found)
