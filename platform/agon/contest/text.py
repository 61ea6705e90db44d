"""Text from a bot, a compiler or an engine, made safe for a terminal, a page, a database or a spreadsheet."""

from unicodedata import category

_UNSAFE = {"Cc", "Cs"}  # control characters; surrogates
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # change the direction of text
_FORMULA = ("=", "+", "-", "@", "\t")  # a spreadsheet takes a cell that begins with one for a formula


def escape_controls(text: str) -> str:
    """`text` with control characters, which a terminal would obey or PostgreSQL refuses, escaped: `\\x1b`.

    Line ends and tabs stay; CR LF becomes LF.
    """
    return "".join(map(_escape_char, text.replace("\r\n", "\n")))


def escape_formula(text: str) -> str:
    """`text` as a cell of a CSV file: an apostrophe precedes what a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unescape_formula(cell: str) -> str:
    """A cell of a CSV file as it was before `escape_formula`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _escape_char(char: str) -> str:
    if char in "\n\t" or (category(char) not in _UNSAFE and char not in _BIDI):
        return char
    return char.encode("unicode_escape").decode()
