"""A match as a story: what a game's `story.py` makes of its log, for people to read.

`tell(log)` returns the scenes. `doubts(log, seat)` is there only in games in which a mistake in an answer is
not a fault: it returns a line for each answer of a seat that was probably not meant like that, which the
author of a bot on trial is shown.

Texts are English with `%(name)s` placeholders. `mark` marks them for translation, which happens when they are
shown. A value that is a word of the game (a card, a role) is a Term and is translated too.
"""

from __future__ import annotations

from typing import NamedTuple


class Term(str):
    """A word of the game among the values of a text, translated like the text itself."""


class StoryLine(NamedTuple):
    """One thing that happened. seat: who did it, None for the game. step: the ask it answers, or None."""

    seat: int | None
    step: int | None
    text: str
    values: dict[str, str | int | Term]


class Scene(NamedTuple):
    """Lines of one round or day. title, values: as in a StoryLine. seat: whose scene it is."""

    title: str
    values: dict[str, str | int | Term]
    lines: list[StoryLine]
    seat: int | None = None


def mark(text: str) -> str:
    """`text` itself, marked for translation."""
    return text
