"""Translates reasons of faults into the reader's language.

A record keeps the reason of a fault as an English sentence with its values in place, so that it is the same
for everyone who replays it. A page finds the sentence among the translated ones and extracts its values. A
value may itself be such a sentence. A sentence that is not found stays English; what a bot wrote, in quotes
or after the name of an exception, stays as it is.
"""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from django.utils.translation import get_language, trans_real

from agon.site.core.texts.numbers import rewritten

_PLACEHOLDER = re.compile(r"%\((\w+)\)([sd])")
_WHOLE = re.compile(r"-?[0-9]{1,20}")  # what a placeholder with d takes
# Letters that a sentence needs outside of its placeholders: "%(bot)s: %(reason)s" would match any text.
_LEAST = 3
_DEEPEST = 4  # nesting of sentences within sentences
_NAMED = ": "  # between a position, or a reason, and what it is about
# An exception of a bot, whose words follow without quotes.
_RAISED = re.compile(r"\b(?:raised \w+|\w+Error|\w+Exception): .*", re.DOTALL)
_HELD = "'\0'"  # replaces these words while the rest is translated
_COLON_OR_QUOTED = re.compile(rf"""{_NAMED}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")


class Phrase(NamedTuple):
    """An English sentence cut at its placeholders: `parts` has one more item than `names`.

    numbers: the names of those placeholders that take a whole number.
    """

    text: str
    parts: tuple[str, ...]
    names: tuple[str, ...]
    numbers: frozenset[str]

    def values_in(self, sentence: str) -> dict[str, str] | None:
        """The value of each placeholder if `sentence` is this phrase; None if it is not.

        Each value is as short as it can be.
        """
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
        if at >= end:
            return None
        named = dict(zip(self.names, [*values, sentence[at:end]], strict=True))
        return named if all(_WHOLE.fullmatch(named[name]) for name in self.numbers) else None


def translated(sentence: str) -> str:
    """`sentence` in the language of this thread, as far as its words are known."""
    language = get_language() or "en"
    if language.startswith("en"):
        return sentence
    if raised := _RAISED.search(sentence):
        return _translated(language, sentence[: raised.start()] + _HELD).replace(_HELD, raised[0])
    return _translated(language, sentence)


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
    shown = {
        name: int(value)
        if name in phrase.numbers
        else _found(language, value, depth + 1) or rewritten(name, value)
        for name, value in values.items()
    }
    return trans_real.translation(language).gettext(phrase.text) % shown


@cache
def _phrases(language: str) -> list[Phrase]:
    """All translated sentences with placeholders, those first that have the most words of their own.

    Reasons have no placeholders of other forms, such as `%(got)r`: sentences with these are left out.
    """
    catalog = trans_real.translation(language)._catalog  # type: ignore[attr-defined]
    cut = [_cut(text) for text, _ in catalog.items() if isinstance(text, str)]
    known = [
        each
        for each in cut
        if each.names
        and "%" not in "".join(each.parts)
        and sum(map(str.isalpha, "".join(each.parts))) >= _LEAST
    ]
    return sorted(known, key=lambda each: -len("".join(each.parts)))


def _cut(text: str) -> Phrase:
    pieces = _PLACEHOLDER.split(text)
    names, forms = pieces[1::3], pieces[2::3]
    numbers = frozenset(name for name, form in zip(names, forms, strict=True) if form == "d")
    return Phrase(text, tuple(pieces[::3]), tuple(names), numbers)


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
