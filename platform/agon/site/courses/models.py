"""Courses: a competition, or several, with a class: its staff, and the students on its roster.

Real names, e-mail addresses and numbers are in Student and nowhere else. No page, feed, archive or operation
for others than the staff reads that table: they show accounts, and the account of a student has a pseudonym.
"""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import Stateful
from agon.site.core.texts.reason_field import ReasonField
from agon.site.courses.states import GOING_ON, AssessmentState, State
from agon.teaching.beats import Beats, Tally, from_json, points_of, rounded
from agon.teaching.roster import LONGEST, Person


class Role(models.TextChoices):
    TEACHER = "teacher", pgettext_lazy("role in a course", "teacher")
    ASSISTANT = "assistant", pgettext_lazy("role in a course", "assistant")


class Course(Stateful):
    """revision: counts the changes of the roster, so that a difference is only applied to what it was shown
    for.
    """

    State = State

    slug = models.SlugField(_("address"), unique=True, max_length=60)
    title = models.CharField(_("title"), max_length=120)
    time_zone = models.CharField(_("time zone"), max_length=60, default="UTC")
    competitions = models.ManyToManyField(Competition, related_name="courses")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    revision = models.PositiveIntegerField(default=1)
    scale = models.JSONField(default=list, blank=True)  # pairs of points, as text, and the grade for them
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("course")
        verbose_name_plural = _("courses")
        ordering = ["title", "pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("course", args=[self.slug])

    @property
    def is_open(self) -> bool:
        return self.state == State.OPEN


class Rule(models.TextChoices):
    """What a milestone asks of a student."""

    JOINED = "joined", _("the student has joined")
    ACCEPTED = "accepted", _("a version was accepted")
    BEATS = "beats", _("it beats a bot in a share of matches")


class Milestone(models.Model):
    """deadline: None for none. policy: agon.teaching.lateness.to_json. points: of who passes in time.

    competition: whose bots count; None for all of the course, and where none counts.
    terms: of the rule that a bot is beaten, agon.teaching.beats.to_json; else empty. opponent: that bot; None
    if it is gone. judge_at: when to look next for versions to be judged by matches; None for never.

    revision: counts the changes, so that of two forms open at once the second is refused.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="milestones")
    title = models.CharField(_("title"), max_length=120)
    rule = models.CharField(_("rule"), max_length=10, choices=Rule.choices)
    terms = models.JSONField(default=dict, blank=True)
    opponent = models.ForeignKey(
        Bot, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("bot to beat")
    )
    competition = models.ForeignKey(
        Competition, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("competition")
    )
    deadline = models.DateTimeField(_("deadline"), null=True, blank=True)
    judge_at = models.DateTimeField(null=True, blank=True, db_index=True)
    policy = models.JSONField(_("late uploads"))
    points = models.DecimalField(_("points"), max_digits=6, decimal_places=2)
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["deadline", "pk"]

    def __str__(self) -> str:
        return self.title

    @property
    def beats(self) -> Beats | None:
        """The rule, if it is that a bot is beaten."""
        return from_json(self.terms) if self.rule == Rule.BEATS else None

    @property
    def cycle(self) -> int | None:
        """The number of matches in which each bot has each seat once; None if the bot to beat is gone."""
        return None if self.opponent is None else max(self.opponent.competition.info.min_seats, 2)


class Staff(models.Model):
    """A teacher does everything with a course; an assistant reads everything."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="staff")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="teaches")
    role = models.CharField(max_length=10, choices=Role.choices)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["course", "user"], name="staff_once_in_a_course")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.course_id}"


class Student(models.Model):
    """A line of the roster, and the account that its student joined with.

    secret: of the personal link; "" once it was used. It is stored as it is, so that the sheet can be printed
    again. own_account: whether the student joined with an account that was there before; the link of such a
    student never sets a password. removed: when the student left the roster.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="students")
    number = models.CharField(_("number"), max_length=LONGEST["number"])
    name = models.CharField(_("name"), max_length=LONGEST["name"])
    email = models.CharField(_("e-mail"), max_length=LONGEST["email"], blank=True)
    group = models.CharField(_("group"), max_length=LONGEST["group"], blank=True)
    extension = models.PositiveIntegerField(default=0)  # minutes beyond each deadline
    pseudonym = models.CharField(max_length=60)
    secret = models.CharField(max_length=64, blank=True, db_index=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="studies"
    )
    own_account = models.BooleanField(default=False)
    joined = models.DateTimeField(null=True, blank=True)
    removed = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "number"], name="number_once_in_a_course"),
            models.UniqueConstraint(fields=["course", "user"], name="student_once_in_a_course"),
        ]
        ordering = ["group", "name", "pk"]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def person(self) -> Person:
        """The student as the roster has them."""
        return Person(self.number, self.name, self.email, self.group, self.extension)


class Extension(models.Model):
    """More time of one student for one milestone, beyond that of the roster."""

    milestone = models.ForeignKey(Milestone, models.CASCADE, related_name="extensions")
    student = models.ForeignKey(Student, models.CASCADE, related_name="extensions")
    minutes = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["milestone", "student"], name="one_extension_each")]
        ordering = ["student__group", "student__name", "pk"]

    def __str__(self) -> str:
        return f"{self.minutes} minutes of {self.student_id} for {self.milestone_id}"


class Judging(models.Model):
    """One time that a milestone was judged by matches: the same terms and opponent for all.

    number: from 1 in the milestone. is_trial: whether house bots were tried, to see what the rule asks for.
    terms: agon.teaching.beats.to_json. opponent: None if it is gone. by: None for the first one, which begins
    by itself. why: of a teacher who had it judged again.
    """

    milestone = models.ForeignKey(Milestone, models.PROTECT, related_name="judgings")
    number = models.PositiveIntegerField()
    is_trial = models.BooleanField(default=False)
    terms = models.JSONField()
    opponent = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    why = models.CharField(max_length=300, blank=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["milestone", "number"], name="judging_has_a_number")]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"judging {self.number} of {self.milestone_id}"

    @property
    def beats(self) -> Beats:
        return from_json(self.terms)


class Assessment(Stateful):
    """Whether one version meets the terms of a judging.

    student: None in a trial. seated: the versions in the other seats, ids; the opponent comes first. queued:
    cycles of matches that were queued. matches_counted, halves: see agon.teaching.beats.Tally.
    """

    State = AssessmentState

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="assessments")
    student = models.ForeignKey(Student, models.CASCADE, null=True, blank=True, related_name="assessments")
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="assessments")
    state = models.CharField(
        max_length=10, choices=AssessmentState.choices, default=AssessmentState.WAITING, db_index=True
    )
    seated = models.JSONField(default=list)
    queued = models.PositiveIntegerField(default=0)
    matches_counted = models.PositiveIntegerField(default=0)
    halves = models.PositiveIntegerField(default=0)
    reason = ReasonField(default=dict, blank=True)  # why matches did not decide it
    created = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judging", "student"], name="student_judged_once_in_a_judging"),
            models.UniqueConstraint(
                fields=["judging", "submission"],
                condition=models.Q(student=None),
                name="version_tried_once_in_a_judging",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=AssessmentState.values), name="assessment_in_known_state"
            ),
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"assessment {self.pk} of {self.submission_id}"

    def get_absolute_url(self) -> str:
        return reverse("course_assessment", args=[self.judging.milestone.course.slug, self.pk])

    @property
    def is_over(self) -> bool:
        return self.state not in GOING_ON

    @property
    def cycle(self) -> int:
        """The number of matches after which each bot has had each seat once."""
        return 1 + len(self.seated)

    @property
    def points(self) -> Decimal | None:
        """What the thresholds of the terms give; None without thresholds, and without a verdict."""
        if self.state not in (AssessmentState.PASSED, AssessmentState.FAILED):
            return None
        rule = rounded(self.judging.beats, self.cycle)
        return points_of(rule, Tally(self.matches_counted, self.halves))
