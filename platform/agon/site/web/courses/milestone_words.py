"""Milestones as sentences, in the reader's language."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.courses.models import Rule
from agon.teaching.lateness import Grace, LastUpload, PercentADay, Policy
from agon.teaching.standing import Standing, Verdict

VERDICTS = {
    Verdict.PASSED: gettext_lazy("passed"),
    Verdict.MISSED: gettext_lazy("missed"),
    Verdict.PENDING: gettext_lazy("not yet"),
}
_RULES = {
    Rule.JOINED: gettext_lazy("Join the course."),
    Rule.ACCEPTED: gettext_lazy(
        "Enter a bot of which a version is accepted: it plays its first match without a fault."
    ),
}


def describe_rule(rule: str) -> str:
    """What is asked for."""
    return str(_RULES[Rule(rule)])


def describe_policy(policy: Policy) -> str:
    """What becomes of late uploads, and which upload counts."""
    match policy:
        case Grace(minutes):
            return _("%(minutes)d minutes late still count as in time.") % {"minutes": minutes}
        case PercentADay(percent):
            return _("Each day late that has begun costs %(percent)d %% of the points.") % {
                "percent": percent
            }
        case LastUpload():
            return _("Nothing late counts. The last version before the deadline does, accepted or not.")
        case _:
            return _("Nothing late counts. The last accepted version before the deadline does.")


def describe_deadline(deadline: datetime, zone: str) -> str:
    """A time in the zone of the course, with the zone's name and its offset then: no one has to guess."""
    local = timezone.localtime(deadline, ZoneInfo(zone))
    offset = local.strftime("%z")
    return f"{date_format(local, 'DATETIME_FORMAT')} ({zone}, UTC{offset[:3]}:{offset[3:5]})"


def describe_standing(standing: Standing) -> str:
    """passed, 2 days late; missed; not yet."""
    words = str(VERDICTS[standing.verdict])
    late = standing.counted.late if standing.counted else None
    if standing.verdict != Verdict.PASSED or not late:
        return words
    hours = -(-int(late.total_seconds()) // 3600)
    return _("%(words)s, %(hours)d h late") % {"words": words, "hours": hours}
