"""What is wrong with one field, in the reader's language. Pydantic says it in English only."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

TEXT = gettext_noop("Expected a text.")
WHOLE_NUMBER = gettext_noop("Expected a whole number.")
NUMBER = gettext_noop("Expected a number.")
YES_OR_NO = gettext_noop("Expected true or false.")
OBJECT = gettext_noop("Expected an object.")
LIST = gettext_noop("Expected a list.")
ONE_OF = gettext_noop("Expected one of %(expected)s.")
AT_MOST = gettext_noop("Expected length: at most %(max_length)d.")
AT_LEAST = gettext_noop("Expected length: at least %(min_length)d.")
TIME = gettext_noop("Expected a time as in ISO 8601, such as 2030-01-31T12:00:00Z.")
SENTENCES = {
    "missing": gettext_noop("This field is required."),
    "extra_forbidden": gettext_noop("There is no such field."),
    "string_type": TEXT,
    "string_unicode": TEXT,
    "int_type": WHOLE_NUMBER,
    "int_parsing": WHOLE_NUMBER,
    "int_from_float": WHOLE_NUMBER,
    "int_parsing_size": gettext_noop("This number is too large."),
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "finite_number": NUMBER,
    "bool_type": YES_OR_NO,
    "bool_parsing": YES_OR_NO,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
    "dict_type": OBJECT,
    "list_type": LIST,
    "literal_error": ONE_OF,
    "enum": ONE_OF,
    "string_too_long": AT_MOST,
    "too_long": AT_MOST,
    "string_too_short": AT_LEAST,
    "too_short": AT_LEAST,
    "greater_than_equal": gettext_noop("Expected %(ge)s or more."),
    "greater_than": gettext_noop("Expected more than %(gt)s."),
    "less_than_equal": gettext_noop("Expected %(le)s or less."),
    "less_than": gettext_noop("Expected less than %(lt)s."),
    "datetime_type": TIME,
    "datetime_parsing": TIME,
    "datetime_from_date_parsing": TIME,
    "datetime_object_invalid": TIME,
    "timezone_aware": gettext_noop("Expected a time with its zone, such as 2030-01-31T12:00:00Z."),
}
_QUOTED = re.compile(r"'([^']*)'")


def sentence(error: Mapping[str, Any]) -> str:
    """The sentence for an error of Pydantic; Pydantic's own for a kind that is not in the table."""
    text = SENTENCES.get(error["type"])
    if text is None:
        return str(error["msg"])
    values = dict(error.get("ctx") or {})
    if "expected" in values:
        values["expected"] = ", ".join(_QUOTED.findall(str(values["expected"])))
    return _(text) % values if values else _(text)
