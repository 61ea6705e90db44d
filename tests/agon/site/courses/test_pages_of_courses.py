"""The pages of courses in a browser: axe-core finds nothing wrong, and nothing is too wide for a phone."""

import pytest
from django.test import Client

from tests.agon.site.courses.conftest import joined, links_of, take
from tests.agon.site.courses.test_similar import COPY, OWN, enter
from tests.agon.site.web.conftest import browser as browser
from tests.support.accessibility import assert_accessible_and_narrow, each_look

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HERE = "/courses/strategy-101/"
LONGEST = "W" * 120
MILESTONE = {"title": LONGEST, "rule": "accepted", "points": "10", "deadline": "2100-06-01T18:00"}


@pytest.fixture
def pages(teacher, assistant, course) -> dict[str, bytes]:
    take(teacher, course, f"id,name,group\n{'9' * 64},{LONGEST},{'W' * 64}\n2,Boris,\n3,Chiyo,\n")
    links = links_of(teacher, course)
    students = {name: joined(teacher, course, name) for name in (LONGEST, "Boris")}
    for name, program in ((LONGEST, OWN), ("Boris", COPY)):
        enter(students[name], program)
    teacher.post(f"{HERE}milestones/new/", MILESTONE | {"policy": "percent_a_day", "percent": "20"})
    [milestone] = course.milestones.all()
    extensions = f"milestones/{milestone.pk}/extensions/"
    teacher.post(HERE + extensions, {"number": "2", "extension": "36h"})
    own = ("", "roster/", "links/", "progress/", "similar/", "milestones/new/", f"milestones/{milestone.pk}/")
    asked = {
        teacher: ["/courses/", "/courses/new/", *(f"{HERE}{page}" for page in (*own, extensions))],
        assistant: [f"{HERE}?assistant", f"{HERE}progress/?assistant"],
        students["Boris"]: [f"{HERE}?student", "/courses/?student"],
        Client(): [links["Chiyo"], f"{links['Boris']}?used"],
    }
    contents = {path: client.get(path).content for client, paths in asked.items() for path in paths}
    contents[f"{HERE}roster/?difference"] = teacher.post(f"{HERE}roster/", {"text": "1,A\n2,B\n,C\n"}).content
    contents[f"{HERE}milestones/new/?refused"] = teacher.post(f"{HERE}milestones/new/", {"title": ""}).content
    return contents | {f"{links['Chiyo']}?refused": Client().post(links["Chiyo"], {"password": "x"}).content}


@each_look
def test_axe_finds_nothing_wrong_and_nothing_is_too_wide_for_a_phone(browser, pages, both):
    assert_accessible_and_narrow(browser, pages, both)
