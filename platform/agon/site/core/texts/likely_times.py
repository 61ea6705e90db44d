"""Which times people may set: a year with a digit too many would break each page that shows it in a zone."""

from datetime import UTC, datetime

from django.utils.translation import gettext as _

FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def why_unlikely(moment: datetime | None) -> str:
    """Why an aware time is not taken; "" if it is."""
    if moment is None or FIRST <= moment < LAST:
        return ""
    years = {"first": FIRST.year, "last": LAST.year - 1, "got": moment.year}
    return _("Expected a year from %(first)d to %(last)d, got %(got)d.") % years
