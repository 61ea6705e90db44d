"""Text from a bot, a compiler or an engine, made safe for a terminal, a page, a database or a spreadsheet."""

import re

# Control characters but line ends and tabs; surrogates; what changes the direction of text.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
# A spreadsheet takes a cell that begins with one for a formula; East Asian ones take full-width signs, too.
ASCII_SIGNS = ("=", "+", "-", "@", "\t")
_SIGNS = (*ASCII_SIGNS, "\uff1d", "\uff0b", "\uff0d", "\uff20")


def escape_controls(text: str) -> str:
    """`text` with control characters, which a terminal would obey or PostgreSQL refuses, escaped: `\\x1b`.

    Line ends and tabs stay; CR LF becomes LF.
    """
    return _UNSAFE.sub(_escaped, text.replace("\r\n", "\n"))


def escape_formula(text: str, signs: tuple[str, ...] = _SIGNS) -> str:
    """`text` as a cell of a CSV file: an apostrophe precedes what a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(signs) else text


def unescape_formula(cell: str) -> str:
    """A cell of a CSV file as it was before `escape_formula`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_SIGNS) else cell


def _escaped(matched: re.Match[str]) -> str:
    return matched[0].encode("unicode_escape").decode()
