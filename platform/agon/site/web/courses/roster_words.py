"""What is wrong with a roster, or with a line of it, in the reader's language."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.teaching.roster import NoRoster, Unreadable

FIELDS = {
    "number": gettext_lazy("id"),
    "name": gettext_lazy("name"),
    "email": gettext_lazy("e-mail"),
    "group": gettext_lazy("group"),
    "extension": gettext_lazy("extension"),
}


def why_no_roster(error: NoRoster) -> str:
    """Why a text is no roster."""
    if error.code == "too_long":
        return _("Expected at most %(most)d lines, got %(got)d.") % error.values
    if error.code == "quotes":
        words = _(
            'From line %(line)d on, quotation marks do not match: a cell that begins with " ends with ".'
        )
        return words % error.values
    if error.code == "too_large":
        return _("Expected a file of at most %(most)d MiB.") % error.values
    if error.code == "workbook":
        return _("This is a workbook. Save it as CSV or as Unicode text, or paste its cells.")
    return _("No column has the heading “id”. The headings are: %(got)s.") % error.values


def why_unreadable(unread: Unreadable) -> str:
    """Why a line is not used."""
    values = dict(unread.values)
    if "field" in values:
        values["field"] = FIELDS[str(values["field"])]
    sentences = {
        "no_number": _("It has no id."),
        "repeated": _("Line %(before)d has the same id. One student is in one group."),
        "too_long": _("%(field)s: expected at most %(most)d characters, got %(got)d."),
        "characters": _("%(field)s: it contains characters that are invisible or turn text around: %(got)s."),
        "email": _("“%(got)s” is no e-mail address."),
        "extension": _("Expected an extension such as 2d, 36h or 90m, of at most a year; got “%(got)s”."),
        "too_many_cells": _("Expected at most %(known)d cells, got %(got)d. Put commas in quotation marks."),
    }
    return sentences[unread.code] % values
