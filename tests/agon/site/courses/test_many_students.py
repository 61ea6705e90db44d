"""A course of 5,000 students: pages show it in parts, with as many queries as for a few."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agon.site.courses.models import Assessment, Student
from agon.teaching.beats import Beats, to_json
from tests.support.factories import activate

pytestmark = pytest.mark.django_db
HERE = "/courses/strategy-101/"
MANY = 5_000


def text(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def many(teacher, course):
    facts = {"title": "First", "rule": "accepted", "points": "10", "deadline": "2100-06-01T18:00"}
    teacher.post(f"{HERE}milestones/new/", facts | {"policy": "last_accepted"})
    Student.objects.bulk_create(
        Student(
            course=course,
            number=f"n{student:04}",
            name=f"Student {student:04}",
            group="Z",
            pseudonym=f"P{student}",
        )
        for student in range(MANY - 3)
    )


@pytest.mark.first(1)
@pytest.mark.parametrize("page", ["", "progress/"])
def test_a_page_shows_a_hundred_with_a_search_and_the_queries_of_a_few(teacher, course, many, page):
    with CaptureQueriesContext(
        connection,
    ) as of_many:
        shown = text(teacher.get(HERE + page))
    assert "Student 0096" in shown
    assert "Student 0097" not in shown  # three others come before
    assert len(shown) < 300_000
    assert "Student 0097" in text(teacher.get(f"{HERE}{page}?page=2"))
    last = text(teacher.get(f"{HERE}{page}?page=50"))
    assert "Student 4996" in last
    assert 'rel="next"' not in last
    results = text(teacher.get(f"{HERE}{page}?q=dent+42"))
    assert results.count('<th scope="row">Student 42') == 100
    assert text(teacher.get(f"{HERE}{page}?q=alice%40school")).count("Alice Anders") >= 1
    assert "No student matches." in text(teacher.get(f"{HERE}{page}?q=%00‮%25"))
    Student.objects.filter(group="Z").exclude(number__startswith="n000").delete()
    with CaptureQueriesContext(connection) as of_few:
        teacher.get(HERE + page)
    assert len(of_many) == len(of_few) <= 20


def test_the_files_of_grades_have_all_of_them(teacher, course, many):
    assert text(teacher.get(f"{HERE}grades.csv")).count("\r\n") == 1 + MANY


@pytest.mark.exhaustive
def test_a_judging_shows_the_students_of_a_page(teacher, course, many, admin_user):
    milestone = course.milestones.create(
        title="Beat it",
        rule="beats",
        policy={"kind": "last_accepted"},
        points=1,
        terms=to_json(Beats(60, 10)),
        deadline=timezone.now(),
    )
    [version] = activate(admin_user, course.competitions.get(), ["Alpha"])
    judging = milestone.judgings.create(number=1, terms=milestone.terms)
    every = list(course.students.all())
    judging.assessments.bulk_create(
        Assessment(judging=judging, student=student, submission=version, state="failed") for student in every
    )
    page = f"{HERE}milestones/{milestone.pk}/judging/"
    with CaptureQueriesContext(connection) as queries:
        shown = text(teacher.get(page))
    assert shown.count(">failed</a>") == 100
    assert len(queries) <= 20
    assert text(teacher.get(f"{page}?q=n4242")).count(">failed</a>") == 1
