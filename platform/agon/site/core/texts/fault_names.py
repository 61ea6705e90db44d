"""The names of the kinds of faults, in the reader's language."""

from django.utils.translation import gettext_lazy

NAMES = {
    "start": gettext_lazy("did not start"),
    "timeout": gettext_lazy("too slow"),
    "crash": gettext_lazy("crashed"),
    "illegal": gettext_lazy("illegal move"),
    "flood": gettext_lazy("too much output"),
    "memory": gettext_lazy("too much memory"),
}


def fault_name(kind: str) -> str:
    """The name of a kind of fault; the kind itself where a record has one that is not known here."""
    return str(NAMES.get(kind, kind))
