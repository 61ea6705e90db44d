"""A sentence for the author of a bot, which can be translated when it is shown."""

from __future__ import annotations


class Reason(str):
    """The English sentence `text % values`, which is what this string is.

    To show it in another language, translate `text` and insert the values afterwards. A value may be a
    Reason, too. Without values `text` is taken literally, percent signs included.
    """

    text: str
    values: dict[str, object]

    def __new__(cls, text: str, **values: object) -> Reason:
        reason = super().__new__(cls, text % values if values else text)
        reason.text, reason.values = text, values
        return reason
