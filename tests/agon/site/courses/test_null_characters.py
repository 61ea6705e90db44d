"""A null character, which PostgreSQL stores and compares in no text, is a word too much and no error."""

import pytest

from agon.site.competitions.models import Competition
from agon.site.courses.models import Course

pytestmark = [pytest.mark.django_db, pytest.mark.production]
COURSE, SETTINGS = "/courses/strategy-101/", "/c/strategy-101/settings/"


@pytest.mark.parametrize(
    ("address", "form"),
    [
        (f"{COURSE}competitions/", {"add": "no\0such"}),
        (f"{COURSE}staff/", {"name": "no\0such", "role": "teacher"}),
        (f"{SETTINGS}organizers/", {"name": "no\0such"}),
        (f"{SETTINGS}organizers/", {"to": "no\0such"}),
        (f"{SETTINGS}state/", {"state": "closed", "why": "no\0such"}),
        (f"{SETTINGS}state/", {"state": "closed", "why": "long" * 1000}),
    ],
)
def test_a_text_that_no_database_takes_is_refused_or_taken_without_it(teacher, course, address, form):
    assert teacher.post(address, form, follow=True).status_code == 200
    assert (Course.objects.count(), Competition.objects.get().organizers.count()) == (1, 1)
