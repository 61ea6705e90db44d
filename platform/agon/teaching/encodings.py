"""The text of a file that a spreadsheet or a text editor saved, whatever its encoding.

The encodings are those that the usual programs write: UTF-8 with and without a mark, UTF-16 ("Unicode text"
of a spreadsheet), and the code pages of Western, Cyrillic and Japanese Windows. The last three cannot be
told apart for certain, so a reader should be shown the text and may name the encoding.
"""

import codecs
import re

ENCODINGS = ("utf-8", "utf-16", "cp1252", "cp1251", "cp932")
_JAPANESE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff01-\uff5e]")
_HIGH_NEIGHBORS = re.compile(rb"[\xc0-\xff][\xc0-\xff]")
_HIGH = re.compile(rb"[\x80-\xff]")


def decode(data: bytes, encoding: str = "") -> str:
    """The text in `data`, without a byte order mark.

    encoding: one of ENCODINGS; "" to guess. Raises UnicodeDecodeError if a named encoding does not fit.
    """
    text = data.decode(encoding or guess(data))
    return text.removeprefix("\ufeff")


def guess(data: bytes) -> str:
    """The encoding that `data` is most likely in: one of ENCODINGS, which decodes all of it."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and _fits(data, "utf-16"):
        return "utf-16"
    if _fits(data, "utf-8"):
        return "utf-8"
    if _fits(data, "cp932") and _is_japanese(data.decode("cp932")):
        return "cp932"
    # In Cyrillic text, letters beyond ASCII stand side by side; in Western text, between letters of ASCII.
    neighbors, high = len(_HIGH_NEIGHBORS.findall(data)), len(_HIGH.findall(data))
    cyrillic = 4 * neighbors >= high
    for encoding in ("cp1251", "cp1252") if cyrillic else ("cp1252", "cp1251"):
        if _fits(data, encoding):
            return encoding
    return "cp932" if _fits(data, "cp932") else "utf-8"


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_japanese(text: str) -> bool:
    return all(_JAPANESE.match(letter) for letter in text if not letter.isascii())
