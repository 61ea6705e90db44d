"""What teachers changed of the milestones of a course, in words: its students rely on them, and see it."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.courses.models import Course, Rule
from agon.site.web.courses.milestone_words import (
    RULES,
    describe_beats,
    describe_deadline,
    describe_policy,
    shown_points,
)
from agon.teaching import beats, lateness

MOST_CHANGES = 50


class Difference(NamedTuple):
    title: str
    old: str
    new: str


class Changed(NamedTuple):
    """A change of a milestone. title: the one of before."""

    at: datetime
    title: str
    differences: list[Difference]


def changes_of(course: Course) -> list[Changed]:
    """The latest first; of milestones that are still there."""
    acts = Act.objects.filter(
        verb=Verb.MILESTONE,
        competition__in=course.competitions.all(),
        details__milestone__in=list(course.milestones.values_list("pk", flat=True)),
        details__has_keys=["old", "new"],
    )
    latest = list(acts.order_by("-pk")[:MOST_CHANGES])
    shown = [act.details[when] for act in latest for when in ("old", "new")]
    bots = Bot.objects.filter(
        pk__in={milestone["opponent"] for milestone in shown if "opponent" in milestone}
    )
    names = dict(bots.values_list("pk", "name"))
    changes = []
    for act in latest:
        old, new = (_words(act.details[when], course, names) for when in ("old", "new"))
        differences = [Difference(name, old[name], new[name]) for name in old if old[name] != new[name]]
        if differences:
            changes.append(Changed(act.at, act.details["old"]["title"], differences))
    return changes


def _words(shown: Mapping[str, Any], course: Course, names: Mapping[int, str]) -> dict[str, str]:
    """A milestone as the log has it, by the headings of its form."""
    deadline = shown["deadline"] and datetime.fromisoformat(shown["deadline"])
    if Rule(shown["rule"]) == Rule.BEATS:
        rule = describe_beats(beats.from_json(shown["terms"]), names.get(shown["opponent"], "–"))
    else:
        rule = str(RULES[Rule(shown["rule"])])
    return {
        _("Title"): shown["title"],
        _("Rule"): rule,
        _("Deadline"): describe_deadline(deadline, course.time_zone) if deadline else "–",
        _("Late uploads"): describe_policy(lateness.from_json(shown["policy"])) if deadline else "–",
        _("Points"): shown_points(Decimal(shown["points"])),
    }
