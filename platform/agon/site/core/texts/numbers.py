"""Numbers and their units as the reader's language writes them."""

from collections.abc import Mapping

from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from games.core.reason import english_number, fill


def decimal(value: float, form: str) -> str:
    """A number in this format, such as ".1f", with the decimal separator of the language: "2.4", "2,4"."""
    return str(number_format(format(value, form)))


def percent(number: int | str) -> str:
    return _("%(n)s %%") % {"n": number}


def localized(value: float) -> str:
    """A number of a sentence with the separators of the language: "5,000", "5 000"; "0.5", "0,5"."""
    separators = {ord(","): get_format("THOUSAND_SEPARATOR"), ord("."): get_format("DECIMAL_SEPARATOR")}
    return english_number(value).translate(separators)


def filled(text: str, values: Mapping[str, object]) -> str:
    """The translation of an English sentence with its values."""
    return fill(_(text), values, localized)
