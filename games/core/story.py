"""A match told as a story for people to read: the types that a game's `story.py` makes from a match log.

`tell(log)` returns the scenes. Games in which a mistake in an answer is not a fault also define
`doubts(log, seat)`. It returns a line for each answer of a seat that is probably a mistake. The author of a
bot on trial sees these lines.

Texts are English with `%(name)s` placeholders. `mark` marks them for translation, which happens when they are
shown. A value that is a word of the game (a card, a role) is a Term and is translated too.
"""

from typing import NamedTuple

from games.core.reason import mark

__all__ = ["Scene", "StoryLine", "Term", "mark"]


class Term(str):
    """A word of the game among the values of a text, translated like the text itself."""


class StoryLine(NamedTuple):
    """One event. seat: the seat that caused it, None for the game. step: the ask it answers, or None."""

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
