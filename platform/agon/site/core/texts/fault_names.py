"""The names of the kinds of faults, in the reader's language."""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

NAMES = {
    "start": _("did not start"),
    "timeout": _("too slow"),
    "crash": _("crashed"),
    "illegal": _("illegal move"),
    "flood": _("too much output"),
    "memory": _("too much memory"),
}


def fault_name(kind: str) -> str:
    """The name of a kind of fault; the kind itself where a record has one that is not known here."""
    return gettext(NAMES.get(kind, kind))
