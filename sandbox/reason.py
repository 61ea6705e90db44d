"""A sentence for an author that can be translated."""

from __future__ import annotations


class Reason(str):
    """The English sentence `text % values`, which is what this string is.

    To show it in another language, translate `text` and insert the values afterwards. A value may be a
    Reason, too. Without values `text` is taken literally, percent signs included.
    """

    text: str
    values: dict[str, object]

    def __new__(cls, text: str, **values: object) -> Reason:
        made = super().__new__(cls, text % values if values else text)
        made.text, made.values = text, values
        return made
