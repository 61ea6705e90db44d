"""The pages of the documentation: the files of `docs/`, in the order of its index, as safe HTML.

`docs/README.md` is the index: its headings of the second level are the sections, and the first link of each
list item is a page. A page is named by its path: `docs/guides/compete.md` is `guides/compete`. Translations
stand beside it: `docs/guides/compete.ja.md`. The index is translated, too.
"""

import functools
import posixpath
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.urls import reverse

from agon.resources import RESOURCES
from agon.site.web.core.markdown import Heading, Rendered, render

FOLDER: Path = RESOURCES / "docs"
IMAGES = FOLDER / "images"
INDEX = "README"
FALLBACK = "en"
# The lines of the index that make the contents.
_SECTION_OR_PAGE = re.compile(
    r"^## (?P<section>.+)$|^- \[(?P<title>[^\]]+)\]\((?P<target>[^)]+)\)", re.MULTILINE
)
_COMMENT = re.compile(r"^<!--.*-->\n", re.MULTILINE)  # marks of generated parts


class Entry(NamedTuple):
    """A page in the contents. title: as the index calls it."""

    name: str
    title: str

    @property
    def address(self) -> str:
        return reverse("docs_page", args=[self.name])


class Section(NamedTuple):
    title: str
    entries: tuple[Entry, ...]


class Document(NamedTuple):
    """html: safe. language: of the text, possibly the fallback. headings: of the second level, in order."""

    title: str
    html: str
    language: str
    headings: tuple[Heading, ...]


def contents(language: str) -> tuple[Section, ...]:
    """All sections with their pages, called as the index in this language calls them."""
    path, _language = _file(INDEX, language)
    return _contents(path, path.stat().st_mtime_ns)


def document(name: str, language: str) -> Document:
    """The page in `language`, otherwise in English. `name`: the index, or a page of the contents."""
    path, written_in = _file(name, language)
    html, headings = _render(path, path.stat().st_mtime_ns, name)
    title = next((heading.text for heading in headings if heading.level == 1), name)
    return Document(title, html, written_in, tuple(heading for heading in headings if heading.level == 2))


def source(name: str) -> str:
    """A page as Markdown, in English; its links lead to the Markdown of other pages."""
    return _COMMENT.sub("", (FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def images() -> frozenset[str]:
    """The names of all images."""
    return frozenset(path.name for path in IMAGES.glob("*.png"))


def _file(name: str, language: str) -> tuple[Path, str]:
    translated = FOLDER / f"{name}.{language}.md"
    return (translated, language) if translated.is_file() else (FOLDER / f"{name}.md", FALLBACK)


@functools.lru_cache(maxsize=8)
def _contents(path: Path, changed: int) -> tuple[Section, ...]:
    """`changed` is only part of the cache key: an edited page is read again. Likewise in `_render`."""
    sections: list[tuple[str, list[Entry]]] = []
    for match in _SECTION_OR_PAGE.finditer(path.read_text(encoding="utf-8")):
        if match["section"]:
            sections.append((match["section"], []))
        elif sections and (name := _name(match["target"], INDEX)):
            sections[-1][1].append(Entry(name, match["title"]))
    return tuple(Section(title, tuple(entries)) for title, entries in sections if entries)


@functools.lru_cache(maxsize=64)
def _render(path: Path, changed: int, name: str) -> Rendered:
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    return render(text, functools.partial(_address, source=name))


def _address(target: str, source: str) -> str | None:
    """Where a link of the page `source` leads on the site; None for files that the site does not show."""
    parts = urlsplit(target)
    if parts.scheme or not parts.path:
        return target
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    if name := _name(parts.path, source):
        return (reverse("docs") if name == INDEX else reverse("docs_page", args=[name])) + fragment
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), parts.path))
    folder, _, image = path.rpartition("/")
    return reverse("docs_image", args=[image]) if folder == "images" and image in images() else None


def _name(target: str, source: str) -> str | None:
    """The page to which a link of the page `source` leads, in whatever language; None if it is no page."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    parts = re.fullmatch(r"([\w/-]+)(\.[a-z]{2})?\.md", path)
    return parts[1] if parts and (FOLDER / f"{parts[1]}.md").is_file() else None
