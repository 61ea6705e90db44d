"""Numbers and their units as the reader's language writes them."""

import re
from collections.abc import Mapping

from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_MEASURED = (
    "seconds",
    "size",
    "used",
    "more",
    "own",
    "others",
)  # placeholders for decimals of the site's own


def decimal(value: float, form: str) -> str:
    """A number in this format, such as ".1f", with the decimal separator of the language: "2.4", "2,4"."""
    return str(number_format(format(value, form)))


def percent(number: int | str) -> str:
    return _("%(n)s %%") % {"n": number}


def rewritten(name: str, value: str) -> str:
    """The value of a placeholder of an English sentence: "5,000" and, where the site measured it, "0.5" with
    the separators of the language. What a bot wrote is in quotes, and stays as it is.
    """
    if _GROUPED.fullmatch(value):
        return value.replace(",", str(get_format("THOUSAND_SEPARATOR")))
    if name in _MEASURED and _DECIMAL.fullmatch(value):
        return value.replace(".", str(get_format("DECIMAL_SEPARATOR")))
    return value


def filled(text: str, values: Mapping[str, object]) -> str:
    """The translation of an English sentence with its values."""
    return _(text) % {
        name: rewritten(name, value) if isinstance(value, str) else value for name, value in values.items()
    }
