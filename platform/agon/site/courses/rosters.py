"""The roster of a course: taking one, removing a student, and what being on it means."""

import secrets
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition, Participant
from agon.site.courses import pseudonyms
from agon.site.courses.changing import Refused, lock, lock_open, record
from agon.site.courses.models import Course, Rule, Student
from agon.teaching.roster import Difference, Person, Roster, difference

MOST_STUDENTS = 10_000  # of a course, former ones included
BYTES = 18  # of a link's secret
DRAWS = 50  # of a pseudonym, until one is free


@transaction.atomic
def take_roster(
    course: Course, roster: Roster, revision: int, by: User, *, remove_missing: bool
) -> Difference:
    """Make the stored roster this one; returns what was changed.

    revision: of the course for which the difference was shown. remove_missing: whether students without a
    line are removed. Raises Refused if the roster was changed since.
    """
    current = lock_open(course)
    if current.revision != revision:
        raise Refused(_("The roster was changed meanwhile. Look at the difference again."))
    stored = {student.number: student for student in current.students.all()}
    result = difference((student.person for student in stored.values() if student.removed is None), roster)
    if len(stored.keys() | {person.number for person in result.new}) > MOST_STUDENTS:
        raise Refused(_("At most %(most)d students in a course.") % {"most": MOST_STUDENTS})
    returning = [person for person in result.new if person.number in stored]
    for person in [*returning, *(change.new for change in result.changed)]:
        store(stored[person.number], person)
    admit(current, [stored[person.number] for person in returning])
    _add(current, [person for person in result.new if person.number not in stored])
    if remove_missing:
        _remove([stored[person.number] for person in result.missing])
    counts = {
        "new": len(result.new),
        "changed": len(result.changed),
        "removed": len(result.missing) if remove_missing else 0,
    }
    if any(counts.values()):
        current.milestones.filter(rule=Rule.BEATS).update(judge_at=timezone.now())  # extensions may differ
        current.revision += 1
        current.save(update_fields=["revision"])
        record(Verb.ROSTER, current, by, counts)
    return result


@transaction.atomic
def remove_student(course: Course, student: int, by: User) -> None:
    """Take a student off the roster. Their bots stay, under the pseudonym. Raises Refused."""
    current = lock_open(course)
    _remove([student_of(current, student)])
    current.revision += 1
    current.save(update_fields=["revision"])
    record(Verb.ROSTER, current, by, {"new": 0, "changed": 0, "removed": 1})


@transaction.atomic
def forget_names(course: Course, by: User) -> None:
    """Delete all that says who the students are: numbers, names, addresses, groups. Raises Refused.

    Pseudonyms, bots and points stay. Only of a closed course, whose grades were taken.
    """
    current = lock(course)
    if current.is_open:
        raise Refused(_("Close the course first."))
    for student in current.students.all():
        student.number, student.name, student.email, student.group = (
            f"#{student.pk}",
            student.pseudonym,
            "",
            "",
        )
        student.save(update_fields=["number", "name", "email", "group"])
    current.revision += 1
    current.save(update_fields=["revision"])
    record(Verb.ROSTER, current, by, {"forgotten": current.students.count()})


def _add(course: Course, people: Iterable[Person]) -> None:
    taken = set(Student.objects.values_list("pseudonym", flat=True))
    made = []
    for person in people:
        pseudonym = pseudonyms.draw()
        for _attempt in range(DRAWS):
            if pseudonym not in taken:
                break
            pseudonym = pseudonyms.draw()
        taken.add(pseudonym)
        made.append(Student(course=course, pseudonym=pseudonym, secret=new_secret(), **vars(person)))
    Student.objects.bulk_create(made, batch_size=500)


def store(student: Student, person: Person) -> None:
    for name, value in vars(person).items():
        setattr(student, name, value)
    student.removed = None
    student.save()


def _remove(gone: Iterable[Student]) -> None:
    for student in gone:
        student.removed = timezone.now()
        student.save(update_fields=["removed"])
        if student.user_id is not None:
            elsewhere = Course.objects.filter(students__user=student.user_id, students__removed=None)
            still = Competition.objects.filter(courses__in=elsewhere)
            gone_from = student.course.competitions.exclude(pk__in=still)
            Participant.objects.filter(competition__in=gone_from, user=student.user_id).delete()


def admit(course: Course, joined: Iterable[Student]) -> None:
    for student in joined:
        if student.user_id is not None:
            for competition in course.competitions.all():
                Participant.objects.get_or_create(competition=competition, user_id=student.user_id)


def student_of(course: Course, pk: int) -> Student:
    student = course.students.filter(pk=pk, removed=None).select_related("user").first()
    if student is None:
        raise Refused(_("This student is no longer on the roster."))
    return student


def new_secret() -> str:
    return secrets.token_urlsafe(BYTES)
