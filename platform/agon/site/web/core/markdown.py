"""Markdown to safe HTML: for the rules of games and for the documentation.

Raw HTML in a text is shown as text. Every heading gets an id, so that it can be linked to.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token


class Heading(NamedTuple):
    """A heading. anchor: its id, for links."""

    level: int
    anchor: str
    text: str


class Rendered(NamedTuple):
    """html: safe. headings: in order."""

    html: str
    headings: tuple[Heading, ...]


def render(
    text: str, address_of: Callable[[str], str | None] = lambda target: target, below: int = 0
) -> Rendered:
    """The HTML of a text.

    address_of: the address for a link's or an image's target; None leaves the link's text alone. below: the
    level of the heading that the text stands under, which its own headings are moved below.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + below, 6)}"
    headings = _anchor(tokens)
    _clear_empty_headers(tokens)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")  # one that is too wide is scrolled with the keyboard, too
        if token.children:
            token.children = _with_addresses(token.children, address_of)
    return Rendered(str(markdown.renderer.render(tokens, markdown.options, {})), headings)


def _anchor(tokens: list[Token]) -> tuple[Heading, ...]:
    """Give every heading an id, and all but those of the first level a link to themselves."""
    headings: list[Heading] = []
    used: set[str] = set()
    for opening, inline in itertools.pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or [])
        anchor = _unused(slugify(text, allow_unicode=True) or "section", used)
        used.add(anchor)
        opening.attrSet("id", anchor)
        headings.append(Heading(int(opening.tag[1:]), anchor, text))
        if opening.tag != "h1" and inline.children is not None:
            # Keyboards and screen readers have the contents of the page for this.
            link = format_html(' <a class="anchor" href="#{}" aria-hidden="true" tabindex="-1">#</a>', anchor)
            inline.children.append(Token("html_inline", "", 0, content=link))
    return tuple(headings)


def _clear_empty_headers(tokens: list[Token]) -> None:
    """Make plain cells of empty headers of columns, which screen readers would announce."""
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not inline.content.strip():
            opening.tag = closing.tag = "td"


def _unused(anchor: str, used: set[str]) -> str:
    """The anchor, numbered as Git hosts do if an earlier heading has it."""
    numbered = (f"{anchor}-{number}" for number in itertools.count(1))
    return next(name for name in itertools.chain([anchor], numbered) if name not in used)


def _with_addresses(tokens: list[Token], address_of: Callable[[str], str | None]) -> list[Token]:
    """The tokens of a line with the addresses of links and images; without links that lead nowhere."""
    kept: list[Token] = []
    dropped = False
    for token in tokens:
        if token.type in ("link_open", "image"):
            name = "href" if token.type == "link_open" else "src"
            address = address_of(str(token.attrGet(name)))
            if token.type == "link_open":
                dropped = address is None
            if address is None:
                continue
            token.attrSet(name, address)
        elif token.type == "link_close" and dropped:
            dropped = False
            continue
        kept.append(token)
    return kept
