"""Times that a form takes in a time zone that was chosen by its name."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.core.texts.likely_times import why_unlikely


def in_zone(given: datetime | None, zone: ZoneInfo) -> datetime | None:
    """A form's time, without a zone, in UTC.

    Raises ValueError if clocks in `zone` show it never or twice, and for a year that cannot be meant.
    """
    if given is None:
        return None
    if wrong := why_unlikely(given):
        raise ValueError(wrong)
    wall = timezone.make_naive(given, UTC)
    earlier, later = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if earlier.astimezone(zone).replace(tzinfo=None) != wall:
        raise ValueError(_("Clocks in %(zone)s skip this time. Choose another.") % {"zone": zone.key})
    if earlier != later:
        raise ValueError(_("Clocks in %(zone)s show this time twice. Choose another.") % {"zone": zone.key})
    return earlier
