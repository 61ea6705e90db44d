"""Who gets which page of a course, and who may act there: one row an address, one column a role."""

import pytest
from django.test import Client

from agon.site.courses.models import Student

from .conftest import joined

pytestmark = pytest.mark.django_db

ROLES = ("teacher", "assistant", "student", "former student", "visitor")
COURSE = "/courses/strategy-101/"
# To read, with GET. Visitors are sent to the page to sign in (302), unless the page is public.
READ = {
    COURSE: "200 200 200 404 302",
    f"{COURSE}progress/": "200 200 404 404 302",
    f"{COURSE}grades.csv": "200 200 404 404 302",
    f"{COURSE}roster/": "200 404 404 404 302",
    f"{COURSE}roster.csv": "200 200 404 404 302",
    f"{COURSE}similar/": "200 200 404 404 302",
    f"{COURSE}links/": "200 404 404 404 302",
    f"{COURSE}milestones/new/": "200 404 404 404 302",
    "/c/strategy-101/settings/": "200 404 404 404 302",
    "/c/strategy-101/submit/": "200 200 200 200 200",
}
# To act, with POST, on what is not there or with an empty form: 404 to those who may not.
ACT = {
    f"{COURSE}competitions/": "302 404 404 404 302",
    f"{COURSE}staff/": "302 404 404 404 302",
    f"{COURSE}roster/": "422 404 404 404 302",
    f"{COURSE}scale/": "302 404 404 404 302",
    f"{COURSE}milestones/new/": "422 404 404 404 302",
    f"{COURSE}students/1/": "302 404 404 404 302",
}


@pytest.fixture
def browsers(teacher, assistant, course) -> dict[str, Client]:
    student, former = joined(teacher, course, "Alice Anders"), joined(teacher, course, "Boris Blau")
    place = Student.objects.get(course=course, number="2")
    teacher.post(f"{COURSE}students/{place.pk}/", {"act": "remove"})
    return dict(zip(ROLES, (teacher, assistant, student, former, Client()), strict=True))


@pytest.mark.first(1)
@pytest.mark.parametrize(("method", "table"), [("get", READ), ("post", ACT)])
def test_each_role_gets_what_the_table_says(browsers, method, table):
    got = {
        address: " ".join(str(getattr(browser, method)(address).status_code) for browser in browsers.values())
        for address in table
    }
    assert got == table
