"""What teachers ask of the students of a course: milestones, and the scale from points to grades."""

import hashlib
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.core.texts.likely_times import why_unlikely
from agon.site.courses.changing import Refused, lock, record
from agon.site.courses.models import Course, Milestone, Rule
from agon.teaching.beats import Beats
from agon.teaching.beats import to_json as to_rule_json
from agon.teaching.grading import Scale, Threshold
from agon.teaching.lateness import Policy, from_json, to_json

MOST_MILESTONES = 50  # of a course


class Wanted(NamedTuple):
    """A milestone as a form has it. beats, opponent: of the rule that a bot is beaten.

    competition: of the rule that a version was accepted; None for the only one of the course.
    """

    title: str
    rule: Rule
    deadline: datetime | None
    policy: Policy
    points: Decimal
    beats: Beats | None = None
    opponent: Bot | None = None
    competition: Competition | None = None


@transaction.atomic
def create(course: Course, wanted: Wanted, by: User) -> Milestone:
    """Raises Refused for one too many, and for a rule that cannot be judged here."""
    current = lock(course)
    wanted = _checked(current, wanted)
    if current.milestones.count() >= MOST_MILESTONES:
        raise Refused(_("At most %(most)d milestones.") % {"most": MOST_MILESTONES})
    made = Milestone.objects.create(course=current, **_columns(wanted))
    record(Verb.MILESTONE, current, by, {"milestone": made.pk, "new": _shown(wanted)})
    return made


@transaction.atomic
def change(milestone: Milestone, wanted: Wanted, revision: int, by: User) -> None:
    """revision: of the milestone as the form showed it. Raises Refused if it was changed or deleted since.

    What was judged already stays, until a teacher has it judged again, or another version counts.
    """
    course = lock(milestone.course)
    current = course.milestones.filter(pk=milestone.pk).first()
    if current is None:
        raise Refused(_("This milestone was deleted."))
    if current.revision != revision:
        raise Refused(_("This milestone was changed meanwhile. Check it and save again."))
    wanted = _checked(course, wanted)
    old = _shown(wanted_of(current))
    for name, value in _columns(wanted).items():
        setattr(current, name, value)
    current.revision += 1
    current.save()
    record(Verb.MILESTONE, course, by, {"milestone": current.pk, "old": old, "new": _shown(wanted)})


@transaction.atomic
def delete(milestone: Milestone, by: User) -> None:
    """Nothing if it is gone. Raises Refused if it was judged: the evidence for grades stays."""
    course = lock(milestone.course)
    gone = course.milestones.filter(pk=milestone.pk).first()
    if gone is not None and gone.judgings.exists():
        raise Refused(_("This milestone was judged, and stays. With 0 points it counts for nothing."))
    if gone is not None:
        record(Verb.MILESTONE, course, by, {"milestone": gone.pk, "old": _shown(wanted_of(gone))})
        gone.delete()


@transaction.atomic
def set_scale(course: Course, scale: Scale, by: User, seen: str | None = None) -> None:
    """Store from how many points on which grade is given.

    seen: the digest of the scale that the form showed, if it says so. Raises Refused if another teacher has
    stored another one since.
    """
    current = lock(course)
    if seen is not None and seen != scale_digest(current) and scale != scale_of(current):
        stored = ", ".join(
            f"{threshold.points:f} {threshold.grade}" for threshold in scale_of(current).thresholds
        )
        raise Refused(
            _("The scale was changed meanwhile. It is: %(scale)s. Check yours and save again.")
            % {"scale": stored or "–"}
        )
    current.scale = [[f"{threshold.points:f}", threshold.grade] for threshold in scale.thresholds]
    current.save(update_fields=["scale"])
    record(Verb.MILESTONE, current, by, {"scale": current.scale})


def scale_of(course: Course) -> Scale:
    return Scale(tuple(Threshold(Decimal(points), grade) for points, grade in course.scale))


def scale_digest(course: Course) -> str:
    """Changes with the scale."""
    return hashlib.sha256(repr(course.scale).encode()).hexdigest()


def wanted_of(milestone: Milestone) -> Wanted:
    """The milestone as it is."""
    return Wanted(
        milestone.title,
        Rule(milestone.rule),
        milestone.deadline,
        from_json(milestone.policy),
        milestone.points,
        milestone.beats,
        milestone.opponent,
        milestone.competition,
    )


def possible_opponents(course: Course) -> QuerySet[Bot]:
    """The bots that a milestone may ask to beat: house bots, and those of the staff."""
    staff = Q(owner__in=course.staff.values("user"))
    entered = Bot.objects.filter(competition__in=course.competitions.all(), state=BotState.ENTERED)
    return entered.filter(staff | Q(house=True)).order_by("-house", "name", "pk")


def _checked(course: Course, wanted: Wanted) -> Wanted:
    """With the competition whose bots count. Raises Refused for what cannot be asked for in this course."""
    if wrong := why_unlikely(wanted.deadline):
        raise Refused(_("Deadline: %(wrong)s") % {"wrong": wrong})
    if wanted.rule == Rule.JOINED:
        return wanted._replace(competition=None)
    if wanted.rule == Rule.BEATS:
        return wanted._replace(competition=_check_opponent(course, wanted).competition)
    every = list(course.competitions.all())
    if wanted.competition is not None and wanted.competition not in every:
        raise Refused(_("Choose a competition of this course."))
    if wanted.competition is None and len(every) > 1:
        raise Refused(_("Choose the competition in which it is asked for."))
    return wanted._replace(competition=wanted.competition or every[0])


def _check_opponent(course: Course, wanted: Wanted) -> Bot:
    """The bot to beat. Raises Refused for a rule by matches that cannot be judged in this course."""
    if wanted.deadline is None:
        raise Refused(_("Give a deadline: the matches are played after it."))
    if wanted.opponent is None or wanted.beats is None:
        raise Refused(_("Choose the bot to beat."))
    if wanted.beats.steps and wanted.points != wanted.beats.steps[-1].points:
        raise Refused(_("The points of a milestone are those of its highest threshold."))
    if not possible_opponents(course).filter(pk=wanted.opponent.pk).exists():
        raise Refused(_("The bot to beat has to be a house bot, or one of the staff's that plays here."))
    if wanted.opponent.competition.info.max_seats < 2:
        raise Refused(_("In this game nobody can be beaten: it has one seat."))
    return wanted.opponent


def _columns(wanted: Wanted) -> dict[str, object]:
    columns = wanted._asdict() | {"policy": to_json(wanted.policy)}
    by_matches = wanted.rule == Rule.BEATS
    columns["terms"] = to_rule_json(rule) if (rule := columns.pop("beats")) and by_matches else {}
    columns["opponent"] = wanted.opponent if by_matches else None
    return columns | {"judge_at": wanted.deadline if by_matches else None}


def _shown(wanted: Wanted) -> dict[str, object]:
    """As JSON, for the log."""
    deadline = wanted.deadline and wanted.deadline.isoformat()
    return {
        "title": wanted.title,
        "rule": wanted.rule.value,
        "deadline": deadline,
        "policy": to_json(wanted.policy),
        "points": f"{wanted.points:f}",
        **({"terms": to_rule_json(wanted.beats)} if wanted.beats else {}),
        **({"opponent": wanted.opponent.pk} if wanted.opponent else {}),
        **({"competition": wanted.competition.slug} if wanted.competition else {}),
    }
