"""People act on a course at the very moment when others do: no student is in it twice, no change is lost."""

import pytest

from agon.site.accounts.models import User
from agon.site.courses import services
from agon.site.courses.models import Course, Role, Student
from agon.site.courses.services import NoPlace, Refused
from agon.teaching.roster import Person, Roster
from tests.support.at_once import failures_at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.either_database,
]
PASSWORD = "quite a long one 7"


def at_once(*acts) -> list[str]:
    """Do all of them at the same time; what they were told. Anything else that they raise fails the test."""
    failures = failures_at_once(acts)
    assert [each for each in failures if not isinstance(each, Refused | NoPlace)] == []
    return [type(each).__name__ for each in failures]


@pytest.fixture
def course(tina) -> Course:
    made = services.create(tina, "Strategy 101", "samurai", "UTC")
    services.take_roster(
        made, Roster((Person("1", "Ada"), Person("2", "Bob"))), 1, tina, remove_missing=False
    )
    return Course.objects.get(pk=made.pk)


def test_a_link_that_two_follow_at_once_makes_one_account(course):
    link = Student.objects.get(number="1").secret
    told = at_once(*[lambda: services.join_with_password(link, PASSWORD)] * 2)
    assert told == ["NoPlace"]
    assert User.objects.exclude(username="tina").count() == 1


def test_one_account_gets_one_of_two_places(course):
    ada = User.objects.create_user("ada")
    links = list(Student.objects.values_list("secret", flat=True))
    told = at_once(*[lambda link=link: services.join_with_account(link, ada) for link in links])
    assert told == ["Refused"]
    assert course.students.filter(user=ada).count() == 1


def test_of_two_rosters_for_one_revision_one_is_taken(course, tina):
    rosters = [Roster((Person("1", "Ada"), Person("2", "Bob"), Person(number, "New"))) for number in "34"]
    told = at_once(
        *[
            lambda roster=roster: services.take_roster(
                course, roster, course.revision, tina, remove_missing=True
            )
            for roster in rosters
        ]
    )
    assert told == ["Refused"]
    assert course.students.count() == 3


def test_two_teachers_who_remove_each_other_leave_one(course, tina):
    bob = User.objects.create_user("bob")
    services.add_staff(course, "bob", Role.TEACHER, tina)
    told = at_once(
        lambda: services.remove_staff(course, bob.pk, tina),
        lambda: services.remove_staff(course, tina.pk, bob),
    )
    assert told == ["Refused"]
    assert course.staff.count() == 1
    assert course.competitions.get().organizers.count() == 1
