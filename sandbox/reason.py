"""A sentence for an author that can be said in other languages than English."""

from __future__ import annotations


class Reason(str):
    """The English sentence `text % values`, which is what this string is.

    Whoever shows it to people may translate `text` and put the values in then. A value may be a Reason too.
    Without values `text` is taken as it stands, percent signs and all.
    """

    text: str
    values: dict[str, object]

    def __new__(cls, text: str, **values: object) -> Reason:
        made = super().__new__(cls, text % values if values else text)
        made.text, made.values = text, values
        return made
