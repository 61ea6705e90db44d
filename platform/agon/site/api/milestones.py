"""Milestones of courses for their staff: what is asked for, judging, and where each student stands."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import AwareDatetime, Field, PlainSerializer, WithJsonSchema

from agon.site.api.access import ORGANIZE
from agon.site.api.courses import of_staff, of_teachers
from agon.site.api.problems import Problem, invalid
from agon.site.api.shapes import Shape, link
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.db.name_keys import misleads
from agon.site.courses import judging, milestones, queries
from agon.site.courses.extending import extend
from agon.site.courses.milestones import Wanted, scale_of
from agon.site.courses.models import Assessment, Course, Judging, Milestone, Rule
from agon.site.courses.progress import Progress, progress_of, rows_of
from agon.site.web.courses.milestone_words import describe_rule
from agon.teaching.beats import LEAST_MATCHES, MOST_MATCHES, MOST_STEPS, Beats, Step
from agon.teaching.grading import Row
from agon.teaching.kinds import BadValue
from agon.teaching.lateness import from_json, to_json
from agon.teaching.roster import LONGEST, MOST_MINUTES
from agon.teaching.standing import Standing

router = Router(tags=["courses"], auth=ORGANIZE)


# A number in both directions, so that the document has one schema of a step. A text is taken, too.
StepPoints = Annotated[
    Decimal, PlainSerializer(float), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
]


class StepShape(Shape):
    percent: int = Field(ge=1, le=100)
    points: StepPoints = Field(gt=0, max_digits=6, decimal_places=2)


class BeatsShape(Shape):
    """A bot that has to be beaten. margin: percent points of a sequential test; 0: all matches decide.

    steps: points by thresholds. The first one is at `percent`, and the last one gives the points of the
    milestone. With percent 55, matches 400 and margin 5 the sentence is "rank above with 95 % confidence".
    """

    bot: int = Field(ge=1, description="The id of a house bot, or of one of the staff's, that plays here.")
    percent: int = Field(ge=1, le=99)
    matches: int = Field(ge=LEAST_MATCHES, le=MOST_MATCHES)
    margin: int = Field(0, ge=0, le=49)
    steps: list[StepShape] = Field(default_factory=list, max_length=MOST_STEPS)


class MilestoneShape(Shape):
    """late: what becomes of late uploads. beats: null unless the rule is `beats`. sentence: what is asked."""

    id: int
    title: str
    rule: str
    points: float
    deadline: datetime | None
    late: dict[str, Any]
    competition: str | None
    beats: BeatsShape | None
    sentence: str
    judgings: int
    revision: int


class NewMilestone(Shape):
    title: str = Field(min_length=1, max_length=120)
    rule: Literal["joined", "accepted", "beats"]
    points: Decimal = Field(ge=0, max_digits=6, decimal_places=2)
    deadline: AwareDatetime | None = Field(None, description="With the offset from UTC. Null for none.")
    late: dict[str, Any] = Field(
        default_factory=lambda: {"kind": "last_accepted"},
        description="kind: last_accepted, last_upload, grace (minutes), or percent_a_day (percent).",
    )
    competition: str | None = Field(
        None, max_length=60, description="Whose bots count, of a course with several and the rule `accepted`."
    )
    beats: BeatsShape | None = None


class ChangedMilestone(NewMilestone):
    revision: int = Field(ge=1, description="Of the milestone that is changed.")


class ExtensionShape(Shape):
    """number: of a student on the roster. minutes: beyond the deadline, on top of those of the roster."""

    number: str = Field(min_length=1, max_length=LONGEST["number"])
    minutes: int = Field(ge=0, le=MOST_MINUTES)


class NewJudging(Shape):
    trial: bool = Field(False, description="Whether the house bots are tried, and no student is judged.")
    why: str = Field("", max_length=300, description="Why the students are judged again; they see it.")


class JudgingShape(Shape):
    id: int
    number: int
    trial: bool
    why: str
    created: datetime


class AssessmentShape(Shape):
    """wins: an equal rank is half a win. matches: that were counted."""

    judging: int
    state: str
    version: int
    wins: float
    matches: int
    url: str


class MilestoneStandingShape(Shape):
    """version: the upload that counts. late: seconds after the student's own deadline."""

    milestone: int
    verdict: str
    points: float
    version: int | None
    late: float
    assessments: list[AssessmentShape]


class GradeShape(Shape):
    number: str
    name: str
    account: str | None
    total: float
    grade: str
    milestones: list[MilestoneStandingShape]


@router.get("/courses/{slug}/milestones", response=list[MilestoneShape])
def listed(request: Any, slug: str) -> list[dict[str, Any]]:
    """What the students of a course are asked for."""
    course, _role = of_staff(request, slug)
    return [_shape(milestone) for milestone in course.milestones.select_related("opponent", "competition")]


@router.post("/courses/{slug}/milestones", response={201: MilestoneShape})
def create(request: Any, slug: str, wanted: NewMilestone) -> Status[Any]:
    """Ask for something more."""
    course = of_teachers(request, slug)
    made = milestones.create(course, _wanted(wanted), request.user)
    made.refresh_from_db()
    return Status(201, _shape(made))


@router.put("/courses/{slug}/milestones/{id}", response=MilestoneShape)
def change(request: Any, slug: str, id: int, wanted: ChangedMilestone) -> dict[str, Any]:
    """Change a milestone. 409 if it was changed since that revision. What was judged stays."""
    milestone = _milestone(of_teachers(request, slug), id)
    given = _wanted(wanted)
    if milestone.revision != wanted.revision:
        hint = _("Read it again, and send your change anew.")
        raise Problem("conflict", _("This milestone was changed meanwhile."), hint)
    milestones.change(milestone, given, wanted.revision, request.user)
    milestone.refresh_from_db()
    return _shape(milestone)


@router.delete("/courses/{slug}/milestones/{id}", response={204: None})
def delete(request: Any, slug: str, id: int) -> Status[None]:
    """Delete a milestone that was not judged."""
    milestone = _milestone(of_teachers(request, slug), id)
    milestones.delete(milestone, request.user)
    return Status(204, None)


@router.post("/courses/{slug}/milestones/{id}/judgings", response={201: JudgingShape})
def judge(request: Any, slug: str, id: int, wanted: NewJudging) -> Status[Any]:
    """Try a rule by matches on the house bots, or judge all students again."""
    milestone = _milestone(of_teachers(request, slug), id)
    if wanted.trial:
        made = judging.try_house_bots(milestone, request.user)
    else:
        made = judging.again(milestone, wanted.why, request.user)
    return Status(201, _judging_shape(made))


@router.get("/courses/{slug}/milestones/{id}/extensions", response=list[ExtensionShape])
def extensions(request: Any, slug: str, id: int) -> list[dict[str, Any]]:
    """Who has more time for one milestone, beyond what the roster gives."""
    course, _role = of_staff(request, slug)
    extensions = _milestone(course, id).extensions.filter(student__removed=None)
    return [
        {"number": extension.student.number, "minutes": extension.minutes}
        for extension in extensions.select_related("student")
    ]


@router.put("/courses/{slug}/milestones/{id}/extensions", response=ExtensionShape)
def set_extension(request: Any, slug: str, id: int, wanted: ExtensionShape) -> ExtensionShape:
    """Give one student more time for one milestone; 0 minutes take it back."""
    extend(_milestone(of_teachers(request, slug), id), wanted.number, wanted.minutes, request.user)
    return wanted


@router.get("/courses/{slug}/grades", response=list[GradeShape])
def grades(request: Any, slug: str) -> list[dict[str, Any]]:
    """Where each student stands with each milestone, and the points. With names: for the staff alone."""
    course, _role = of_staff(request, slug)
    every = list(course.milestones.all())
    progress_rows = progress_of(course, queries.students(course), every)
    scale = scale_of(course)
    return [
        _grade_shape(progress, row, every, scale.grade(row.total))
        for progress, row in zip(progress_rows, rows_of(progress_rows), strict=True)
    ]


def _milestone(course: Course, id: int) -> Milestone:
    milestone = course.milestones.select_related("opponent").filter(pk=id).first()
    if milestone is None:
        hint = f"GET /api/v1/courses/{course.slug}/milestones"
        raise Problem("not_found", _("There is no milestone with this number."), hint)
    return milestone


def _wanted(given: NewMilestone) -> Wanted:
    """Raises Problem, with the field."""
    title = " ".join(given.title.split())
    if not title or misleads(title):
        raise invalid("/title", _("A title needs visible letters, and no control characters."))
    try:
        policy = from_json(given.late)
    except BadValue as bad:
        raise invalid(f"/late/{bad.field}", str(bad)) from None
    beats = opponent = None
    if Rule(given.rule) == Rule.BEATS and given.beats is not None:
        try:
            steps = tuple(Step(step.percent, step.points) for step in given.beats.steps)
            beats = Beats(given.beats.percent, given.beats.matches, given.beats.margin, steps)
        except BadValue as bad:
            raise invalid(f"/beats/{bad.field}", str(bad)) from None
        opponent = Bot.objects.select_related("competition").filter(pk=given.beats.bot).first()
    competition = None
    if given.competition is not None:
        competition = Competition.objects.filter(slug=given.competition).first()
        if competition is None:
            raise invalid("/competition", _("There is no “%(name)s”.") % {"name": given.competition})
    rule = Rule(given.rule)
    return Wanted(title, rule, given.deadline, policy, given.points, beats, opponent, competition)


def _shape(milestone: Milestone) -> dict[str, Any]:
    rule = milestone.beats
    beats = None
    if rule is not None and milestone.opponent is not None:
        steps = [step._asdict() for step in rule.steps]
        beats = vars(rule) | {"bot": milestone.opponent.pk, "steps": steps}
    return MilestoneShape.from_row(
        milestone,
        points=float(milestone.points),
        late=to_json(from_json(milestone.policy)),
        competition=milestone.competition.slug if milestone.competition else None,
        beats=beats,
        sentence=describe_rule(milestone),
        judgings=milestone.judgings.count(),
    )


def _judging_shape(made: Judging) -> dict[str, Any]:
    return JudgingShape.from_row(made, trial=made.is_trial)


def _grade_shape(progress: Progress, row: Row, every: list[Milestone], grade: str) -> dict[str, Any]:
    user = progress.student.user
    return {
        "number": row.number,
        "name": row.name,
        "account": user.shown_name if user else None,
        "total": float(row.total),
        "grade": grade,
        "milestones": [
            _standing_shape(milestone, standing, progress)
            for milestone, standing in zip(every, progress.standings, strict=True)
        ],
    }


def _standing_shape(milestone: Milestone, standing: Standing, progress: Progress) -> dict[str, Any]:
    counted = standing.counted
    return {
        "milestone": milestone.pk,
        "verdict": standing.verdict.value,
        "points": float(standing.points),
        "version": (counted.upload.id or None) if counted else None,
        "late": counted.late.total_seconds() if counted else 0.0,
        "assessments": [_assessment_shape(row) for row in progress.assessments.get(milestone.pk, ())],
    }


def _assessment_shape(row: Assessment) -> dict[str, Any]:
    return {
        "judging": row.judging.number,
        "state": row.state,
        "version": row.submission_id,
        "wins": row.halves / 2,
        "matches": row.matches_counted,
        "url": link(row.get_absolute_url()),
    }
