"""Text of a bot's, a compiler's or an engine's making, fit for a terminal, a page and every database."""

from unicodedata import category

_UNFIT = {"Cc", "Cs"}  # control characters; halves of characters
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # make text run the other way


def plain(text: str) -> str:
    """`text` with what a terminal would obey, or PostgreSQL refuses (NUL), written as an escape: `\\x1b`.

    Line ends and tabs stay; CR LF becomes LF.
    """
    return "".join(map(_shown, text.replace("\r\n", "\n")))


def _shown(char: str) -> str:
    if char in "\n\t" or (category(char) not in _UNFIT and char not in _TURNING):
        return char
    return char.encode("unicode_escape").decode()
