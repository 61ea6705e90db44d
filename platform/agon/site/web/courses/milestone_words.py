"""Milestones as sentences, in the reader's language."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format, localize
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.courses.models import Assessment, Milestone, Rule
from agon.site.courses.states import AssessmentState
from agon.teaching.beats import ABOVE, Beats, Step, chance, rounded
from agon.teaching.lateness import Grace, LastUpload, PercentADay, Policy
from agon.teaching.standing import Standing, Verdict

VERDICTS = {
    Verdict.PASSED: gettext_lazy("passed"),
    Verdict.MISSED: gettext_lazy("missed"),
    Verdict.PENDING: gettext_lazy("not yet"),
}
_NEAR = 5  # percent points
RULES = {
    Rule.JOINED: gettext_lazy("Join the course."),
    Rule.ACCEPTED: gettext_lazy(
        "Enter a bot of which a version is accepted: it plays its first match without a fault."
    ),
}


def describe_rule(milestone: Milestone) -> str:
    """What is asked for."""
    rule = milestone.beats
    if rule is None:
        return str(RULES[Rule(milestone.rule)])
    if milestone.opponent is None:
        return _("Beat a bot that is gone. Until another one is chosen, nothing is judged.")
    return describe_beats(rule, milestone.opponent.name)


def describe_beats(rule: Beats, name: str) -> str:
    """Beat Dice in at least 60 % of 100 matches."""
    values = {"bot": name, "percent": rule.percent, "matches": rule.matches}
    if rule == ABOVE:
        return (
            _(
                "Rank above %(bot)s with 95 %% confidence, by matches against it: at most %(matches)d are "
                "played, each seat equally often, until a sequential test is sure. Equal ranks are half a "
                "win."
            )
            % values
        )
    if rule.steps:
        values["steps"] = ", ".join(
            _("%(percent)d %% give %(points)s points")
            % {"percent": step.percent, "points": shown_points(step.points)}
            for step in rule.steps
        )
        return (
            _(
                "Beat %(bot)s in as many of %(matches)d matches as you can, each seat equally often: "
                "%(steps)s. Equal ranks are half a win."
            )
            % values
        )
    if rule.margin:
        return (
            _(
                "Beat %(bot)s in %(percent)d %% of the matches: at most %(matches)d are played, each seat "
                "equally often, until a sequential test is sure. Equal ranks are half a win."
            )
            % values
        )
    return (
        _(
            "Beat %(bot)s in at least %(percent)d %% of %(matches)d matches, each seat equally often. Equal "
            "ranks are half a win."
        )
        % values
    )


def describe_doubt(rule: Beats, cycle: int) -> str:
    """How likely a bot passes whose true share is a little below, at, and above the one asked for."""
    if rule.steps:
        said = " ".join(_doubt_of_step(rule, step, cycle) for step in rule.steps)
        return _("What a bot is worth and what it wins by chance differ. %(said)s") % {"said": said}
    shares = [max(rule.percent - _NEAR, 1), rule.percent, min(rule.percent + _NEAR, 99)]
    low, at, high = (chance(rounded(rule, cycle), cycle, share / 100) for share in shares)
    return _(
        "What a bot is worth and what it wins by chance differ: one that truly wins %(low)d %% passes with a "
        "probability of %(of_low)d %%, one that wins %(at)d %% with %(of_at)d %%, one that wins %(high)d %% "
        "with %(of_high)d %%."
    ) % {
        "low": shares[0],
        "at": shares[1],
        "high": shares[2],
        "of_low": round(100 * low.passes),
        "of_at": round(100 * at.passes),
        "of_high": round(100 * high.passes),
    }


def _doubt_of_step(rule: Beats, step: Step, cycle: int) -> str:
    shares = (step.percent / 100, max(step.percent - _NEAR, 1) / 100)
    at, less = (chance_of_step(rule, step, cycle, share) for share in shares)
    return _(
        "At least %(points)s points: who truly wins %(at)d %% gets them with a probability of %(of_at)d %%, "
        "who wins %(less)d %% with %(of_less)d %%."
    ) % {
        "points": shown_points(step.points),
        "at": step.percent,
        "of_at": round(100 * at),
        "less": round(100 * shares[1]),
        "of_less": round(100 * less),
    }


def chance_of_step(rule: Beats, step: Step, cycle: int, share: float) -> float:
    """The probability that a bot with this true share (0 to 1) gets the points of this step, or more."""
    if step.percent == 100:
        return float(share ** rounded(rule, cycle).matches)
    alone = replace(rule, percent=step.percent, steps=())
    return chance(rounded(alone, cycle), cycle, share).passes


def shown_points(points: Decimal) -> str:
    """Points without zeros at their end: 10, and 7.5."""
    return str(localize(points.normalize() if points % 1 else int(points)))


def describe_result(assessment: Assessment) -> str:
    """passed: 63 of 100; passed: 63 of 100, 8 points; waiting; cancelled."""
    words = str(AssessmentState(assessment.state).label)
    if not assessment.matches_counted:
        return words
    wins = assessment.halves / 2
    shown = localize(int(wins) if wins == int(wins) else wins)
    values = {"words": words, "wins": shown, "matches": assessment.matches_counted}
    if (points := assessment.points) is None:
        return _("%(words)s: %(wins)s of %(matches)d") % values
    values["points"] = shown_points(points)
    return _("%(words)s: %(wins)s of %(matches)d, %(points)s points") % values


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


def describe_standing(standing: Standing, milestone: Milestone) -> str:
    """passed, 2 days late; passed: 8 of 10 points; missed; not yet."""
    words = str(VERDICTS[standing.verdict])
    if standing.verdict == Verdict.PASSED and milestone.beats and milestone.beats.steps:
        words = _("%(words)s: %(points)s of %(most)s points") % {
            "words": words,
            "points": shown_points(standing.points),
            "most": shown_points(milestone.points),
        }
    late = standing.counted.late if standing.counted else None
    if standing.verdict != Verdict.PASSED or not late:
        return words
    hours = -(-int(late.total_seconds()) // 3600)
    return _("%(words)s, %(hours)d h late") % {"words": words, "hours": hours}
