"""Reasons of faults in the reader's language.

A record keeps the reason of a fault as an English sentence, with its values in place: the referee's or the
sandbox's words are the same for everyone who replays it. A page finds the sentence among those that are
translated, and its values with it. A value may be such a sentence itself. What is not found stays English,
and what a bot wrote stays as it is, in its quotes.
"""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from django.utils.translation import get_language, trans_real

_PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]")
_LEAST = 3  # letters of its own that a sentence must have to be looked for: "%(bot)s: %(reason)s" is any text
_DEEPEST = 4  # sentences within sentences
_NAMED = ": "  # between a position, or a reason, and what it is about
_COLON_OR_QUOTED = re.compile(rf"""{_NAMED}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")


class Phrase(NamedTuple):
    """An English sentence cut at its placeholders: `parts` has one more item than `names`."""

    text: str
    parts: tuple[str, ...]
    names: tuple[str, ...]

    def values_in(self, sentence: str) -> dict[str, str] | None:
        """The value of each placeholder if `sentence` is this phrase. Each is as short as it can be."""
        first, *middle, last = self.parts
        end = len(sentence) - len(last)
        if not sentence.startswith(first) or not sentence.endswith(last):
            return None
        values, at = [], len(first)
        for part in middle:
            found = sentence.find(part, at + 1, end)
            if found < 0:
                return None
            values.append(sentence[at:found])
            at = found + len(part)
        return dict(zip(self.names, [*values, sentence[at:end]], strict=True)) if at < end else None


def translated(sentence: str) -> str:
    """`sentence` in the language of this thread, as far as its words are known."""
    language = get_language() or "en"
    return sentence if language.startswith("en") else _translated(language, sentence)


@lru_cache(4096)
def _translated(language: str, sentence: str) -> str:
    return _found(language, sentence, 0) or sentence


def _found(language: str, sentence: str, depth: int) -> str:
    """ "" if it is no known sentence."""
    if not sentence.strip():
        return ""
    if (whole := trans_real.translation(language).gettext(sentence)) != sentence:
        return whole
    if depth == _DEEPEST:
        return ""
    matching = [
        (phrase, values)
        for phrase in _phrases(language)
        if (values := phrase.values_in(sentence)) is not None
    ]
    for phrase, values in matching:
        if not any(_free_colon(value) for value in values.values()):
            return _filled(language, phrase, values, depth)
    if parted := _in_two(language, sentence, depth):
        return parted
    return _filled(language, *matching[0], depth) if matching else ""


def _filled(language: str, phrase: Phrase, values: dict[str, str], depth: int) -> str:
    shown = {name: _found(language, value, depth + 1) or value for name, value in values.items()}
    return trans_real.translation(language).gettext(phrase.text) % shown


@cache
def _phrases(language: str) -> list[Phrase]:
    """All translated sentences with placeholders, those first that have the most words of their own."""
    catalogue = trans_real.translation(language)._catalog  # type: ignore[attr-defined]
    cut = [_cut(text) for text, _ in catalogue.items() if isinstance(text, str)]
    known = [each for each in cut if each.names and sum(map(str.isalpha, "".join(each.parts))) >= _LEAST]
    return sorted(known, key=lambda each: -len("".join(each.parts)))


def _cut(text: str) -> Phrase:
    return Phrase(text, tuple(_PLACEHOLDER.split(text)[::2]), tuple(_PLACEHOLDER.findall(text)))


def _in_two(language: str, sentence: str, depth: int) -> str:
    """The sentences on both sides of the first colon, if one of them is known."""
    colon = _free_colon(sentence)
    if not colon:
        return ""
    sides = sentence[: colon.start()], sentence[colon.end() :]
    known = [_found(language, side, depth + 1) for side in sides]
    return _NAMED.join(shown or side for shown, side in zip(known, sides, strict=True)) if any(known) else ""


def _free_colon(sentence: str) -> re.Match[str] | None:
    """The first colon that is not within quotes."""
    return next((found for found in _COLON_OR_QUOTED.finditer(sentence) if found[0] == _NAMED), None)
