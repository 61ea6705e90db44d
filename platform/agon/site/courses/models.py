"""Courses: a competition, or several, with a class: its staff, and the students on its roster.

Real names, e-mail addresses and numbers are in Student and nowhere else. No page, feed, archive or operation
for others than the staff reads that table: they show accounts, and the account of a student has a pseudonym.
"""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import Stateful
from agon.site.courses.states import State
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


class Milestone(models.Model):
    """deadline: None for none. policy: agon.teaching.lateness.to_json. points: of who passes in time.

    revision: counts the changes, so that of two forms open at once the second is refused.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="milestones")
    title = models.CharField(_("title"), max_length=120)
    rule = models.CharField(_("rule"), max_length=10, choices=Rule.choices)
    deadline = models.DateTimeField(_("deadline"), null=True, blank=True)
    policy = models.JSONField(_("late uploads"))
    points = models.DecimalField(_("points"), max_digits=6, decimal_places=2)
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["deadline", "pk"]

    def __str__(self) -> str:
        return self.title


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
