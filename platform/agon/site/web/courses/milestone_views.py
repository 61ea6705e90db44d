"""The forms of a milestone, and the scale of grades."""

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.db.name_keys import misleads
from agon.site.courses import milestones
from agon.site.courses.changing import Refused
from agon.site.courses.milestones import Wanted
from agon.site.courses.models import Course, Milestone, Rule
from agon.site.web.core import refused, signed_in
from agon.site.web.core.paging import whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.core.zone_times import in_zone
from agon.site.web.courses.access import for_teachers
from agon.site.web.courses.progress_views import progress_page
from agon.site.web.courses.scale_text import parse_scale
from agon.site.web.courses.steps_text import BadSteps, format_steps, parse_steps
from agon.teaching.beats import ABOVE, LEAST_MATCHES, MOST_MATCHES, Beats, Step
from agon.teaching.grading import BadScale
from agon.teaching.kinds import BadValue
from agon.teaching.lateness import Grace, LastAccepted, LastUpload, PercentADay, Policy, from_json, to_json

_ABOVE = "above"  # a choice of the form: a rule by matches whose numbers are given
_TIME = "%Y-%m-%dT%H:%M"
LONGEST_GRACE = 7 * 24 * 60  # minutes


class MilestoneForm(forms.Form):
    """After validation, `wanted` is the milestone."""

    wanted: Wanted
    title = forms.CharField(label=gettext_lazy("Title"), max_length=120)
    rule = forms.ChoiceField(
        label=gettext_lazy("What is asked for"),
        choices=[*Rule.choices, (_ABOVE, gettext_lazy("it ranks above a bot (confidence: 95 %)"))],
        initial=Rule.ACCEPTED,
    )
    points = forms.DecimalField(
        label=gettext_lazy("Points"),
        min_value=0,
        max_digits=6,
        decimal_places=2,
        initial=10,
        required=False,
    )
    deadline = forms.DateTimeField(
        label=gettext_lazy("Deadline"),
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format=_TIME),
    )
    policy = forms.ChoiceField(
        label=gettext_lazy("Late uploads"),
        choices=[
            (
                "last_accepted",
                gettext_lazy("do not count; the last accepted version before the deadline does"),
            ),
            (
                "last_upload",
                gettext_lazy("do not count; the last version before the deadline does, accepted or not"),
            ),
            ("grace", gettext_lazy("count as in time for some minutes")),
            ("percent_a_day", gettext_lazy("lose a part of the points for each day")),
        ],
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes"), min_value=1, max_value=LONGEST_GRACE, required=False, initial=15
    )
    percent = forms.IntegerField(
        label=gettext_lazy("Percent a day"), min_value=1, max_value=100, required=False, initial=20
    )
    competition = forms.ModelChoiceField(
        label=gettext_lazy("Competition"), queryset=Competition.objects.none(), required=False
    )
    opponent = forms.ModelChoiceField(
        label=gettext_lazy("Bot to beat"), queryset=Bot.objects.none(), required=False
    )
    share = forms.IntegerField(
        label=gettext_lazy("Percent of the matches"), min_value=1, max_value=99, required=False, initial=60
    )
    most_matches = forms.IntegerField(
        label=gettext_lazy("Matches"),
        min_value=LEAST_MATCHES,
        max_value=MOST_MATCHES,
        required=False,
        initial=100,
    )
    margin = forms.ChoiceField(
        label=gettext_lazy("How it is decided"),
        required=False,
        choices=[
            (0, gettext_lazy("by that share of all matches")),
            (5, gettext_lazy("by a sequential test, sure from 5 percent points away")),
            (10, gettext_lazy("by a sequential test, sure from 10 percent points away; the fewest matches")),
        ],
    )
    steps = forms.CharField(
        label=gettext_lazy("Points by thresholds"),
        required=False,
        max_length=400,
        widget=forms.Textarea({"rows": 3, "placeholder": "40 5\n60 8\n80 10"}),
        help_text=gettext_lazy(
            "A line for each: the percent of the matches, and the points for it; the highest one gives all "
            "points. Empty: all or nothing, at the share above."
        ),
    )
    past = forms.BooleanField(label=gettext_lazy("The deadline is meant to be in the past"), required=False)

    def __init__(self, *args: Any, course: Course, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = ZoneInfo(course.time_zone)
        self.fields["deadline"].help_text = _("In the time zone %(zone)s. Empty: there is none.") % {
            "zone": course.time_zone
        }
        every = course.competitions.all()
        opponent, competition = self.fields["opponent"], self.fields["competition"]
        assert isinstance(opponent, forms.ModelChoiceField)
        assert isinstance(competition, forms.ModelChoiceField)
        opponent.queryset = milestones.possible_opponents(course).select_related("competition")
        competition.queryset = every
        if len(every) > 1:
            labels = [(bot.pk, f"{bot.name} ({bot.competition.title})") for bot in opponent.queryset]
            opponent.choices = [("", "---------"), *labels]
        else:
            del self.fields["competition"]

    def clean_title(self) -> str:
        given = " ".join(self.cleaned_data["title"].split())
        if not given or misleads(given):
            raise forms.ValidationError(_("A title needs visible letters, and no control characters."))
        return given

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        policy = self._policy(values)
        try:
            deadline = in_zone(values.get("deadline"), self.zone)
        except ValueError as why:
            self.add_error("deadline", str(why))
            return values
        if deadline is not None and deadline <= timezone.now() and not values.get("past"):
            self.add_error(
                "deadline", _("This time is in the past. Tick the box below if it is meant to be.")
            )
        rule, beats = values.get("rule"), None
        if rule in (Rule.BEATS, _ABOVE):
            beats = self._above(values) if rule == _ABOVE else self._beats(values)
        if values.get("points") is None and "points" not in self.errors:
            self.add_error("points", _("Expected a number of points."))
        if not self.errors and policy is not None:
            self.wanted = Wanted(
                title=values["title"],
                rule=Rule.BEATS if beats else Rule(values["rule"]),
                deadline=deadline,
                policy=policy,
                points=values["points"],
                beats=beats,
                opponent=values["opponent"] if beats else None,
                competition=values.get("competition"),
            )
        return values

    def _above(self, values: dict[str, Any]) -> Beats | None:
        return ABOVE if self._check_given(values, self._needed()) else None

    def _beats(self, values: dict[str, Any]) -> Beats | None:
        """With thresholds, share and points are theirs."""
        steps: tuple[Step, ...] = ()
        try:
            steps = parse_steps(values.get("steps", ""))
        except BadSteps as bad:
            self.add_error("steps", str(bad))
        if steps:
            values["share"], values["points"] = steps[0].percent, steps[-1].points
        needed = self._needed() | {
            "share": _("Expected a number from 1 to 99."),
            "most_matches": _("Expected a number from %(least)d to %(most)d.")
            % {"least": LEAST_MATCHES, "most": MOST_MATCHES},
        }
        if not self._check_given(values, needed):
            return None
        try:
            return Beats(values["share"], values["most_matches"], int(values["margin"] or 0), steps)
        except BadValue as bad:
            words = {
                "steps": _("Expected more points for each greater share, each above 0."),
                "margin": _("This share is too close to none or all for this test."),
                "percent": _("Expected a number from 1 to 99."),
            }
            if steps and bad.field == "margin":
                words["margin"] = _("Points by thresholds take all matches. Choose “by that share”.")
            field = "steps" if bad.field == "percent" else bad.field
            self.add_error(field, words[bad.field])
            return None

    def _needed(self) -> dict[str, str]:
        return {
            "deadline": _("Give a deadline: the matches are played after it."),
            "opponent": _("Choose the bot to beat."),
        }

    def _check_given(self, values: dict[str, Any], needed: dict[str, str]) -> bool:
        """Whether all is given that a rule by matches needs, and the rest of the form is right."""
        for name, words in needed.items():
            if values.get(name) is None and name not in self.errors:
                self.add_error(name, words)
        return not self.errors

    def _policy(self, values: dict[str, Any]) -> Policy | None:
        match values.get("policy"):
            case "grace":
                if values.get("minutes") is not None:
                    return Grace(values["minutes"])
                self.add_error("minutes", _("Expected a number of minutes."))
            case "percent_a_day":
                if values.get("percent") is not None:
                    return PercentADay(values["percent"])
                self.add_error("percent", _("Expected a number from 1 to 100."))
            case "last_upload":
                return LastUpload()
            case "last_accepted":
                return LastAccepted()
        return None


@signed_in.form
def new(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form of a new milestone."""
    course = for_teachers(request, slug)
    form = MilestoneForm(request.POST if request.method == "POST" else None, course=course)
    if form.is_valid():
        with refused.in_form(form, Refused):
            milestones.create(course, form.wanted, request.user)
            return redirect("course_progress", course.slug)
    return _page(request, course, form, None)


@signed_in.form
def milestone(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The form of a milestone that is there; `delete` deletes it."""
    course = for_teachers(request, slug)
    milestone = get_object_or_404(course.milestones, pk=pk)
    if request.method == "POST" and "delete" in request.POST:
        with refused.as_message(request, Refused):
            milestones.delete(milestone, request.user)
            messages.success(request, _("The milestone was deleted."))
        return redirect("course_progress", course.slug)
    form = MilestoneForm(
        request.POST if request.method == "POST" else None, course=course, initial=_initial(course, milestone)
    )
    if form.is_valid():
        revision = whole_number(request.POST.get("revision"), 0)
        with refused.in_form(form, Refused):
            milestones.change(milestone, form.wanted, revision, request.user)
            messages.success(request, _("The milestone was saved."))
            return redirect("course_progress", course.slug)
        milestone.refresh_from_db()
    return _page(request, course, form, milestone)


@signed_in.act
def scale(request: SignedInRequest, slug: str) -> HttpResponse:
    """Store the scale from points to grades. seen: the digest of the one that the form showed."""
    course = for_teachers(request, slug)
    given = request.POST.get("scale", "")
    with refused.as_message(request, BadScale, Refused):
        milestones.set_scale(course, parse_scale(given), request.user, request.POST.get("seen"))
        messages.success(request, _("The scale was saved."))
        return redirect("course_progress", course.slug)
    return progress_page(request, course, given)


def _initial(course: Course, milestone: Milestone) -> dict[str, Any]:
    deadline = milestone.deadline and timezone.make_naive(milestone.deadline, ZoneInfo(course.time_zone))
    policy = to_json(from_json(milestone.policy))
    beats = milestone.beats
    return {
        "title": milestone.title,
        "rule": _ABOVE if beats == ABOVE else milestone.rule,
        "points": milestone.points,
        "deadline": deadline,
        "policy": policy.pop("kind"),
        **policy,
        "opponent": milestone.opponent_id,
        "competition": milestone.competition_id,
        **(_terms(beats) if beats and beats != ABOVE else {}),
    }


def _terms(beats: Beats) -> dict[str, Any]:
    return {
        "share": beats.percent,
        "most_matches": beats.matches,
        "margin": beats.margin,
        "steps": format_steps(beats.steps),
    }


def _page(
    request: SignedInRequest, course: Course, form: MilestoneForm, milestone: Milestone | None
) -> HttpResponse:
    context = {"course": course, "form": form, "milestone": milestone}
    return render(request, "courses/milestone.html", context, status=422 if form.errors else 200)
