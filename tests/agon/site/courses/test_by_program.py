"""Courses by program: what the pages of teachers do."""

import json

import pytest
from django.test import Client

from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.courses.models import Course, Student
from agon.site.tokens.services import issue
from tests.agon.site.courses.conftest import PASSWORD, ROSTER, joined
from tests.support.factories import activate

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/courses/strategy-101"


@pytest.fixture
def api(tina):
    """Sends a request with a token of the teacher; returns status and body."""
    headers = {"Authorization": f"Bearer {issue(tina, 'laptop', ['organize'])[1]}"}

    def send(method: str, address: str, body: object = None):
        sent = json.dumps(body or {})
        answer = Client().generic(method, address, sent, "application/json", headers=headers)
        return answer.status_code, answer.json()

    return send


def test_a_course_is_made_and_its_roster_taken_by_program(api):
    made = api("POST", "/api/v1/courses", {"title": "Strategy 101", "game": "samurai"})
    assert made[0] == 201
    assert made[1] | {"url": ""} == {
        "slug": "strategy-101",
        "title": "Strategy 101",
        "state": "open",
        "role": "teacher",
        "time_zone": "UTC",
        "competitions": ["strategy-101"],
        "students": 0,
        "joined": 0,
        "url": "",
    }
    sent = {"text": ROSTER + "4,Dora,bad@", "revision": api("GET", f"{ADDRESS}/roster")[1]["revision"]}
    shown = api("PUT", f"{ADDRESS}/roster", sent | {"preview": True})[1]
    assert [person["number"] for person in shown["new"]] == ["1", "2", "3"]
    assert shown["unreadable"] == [{"line": 5, "why": "“bad@” is no e-mail address."}]
    assert not Student.objects.exists()
    assert api("PUT", f"{ADDRESS}/roster", sent) == (200, shown)
    assert api("PUT", f"{ADDRESS}/roster", sent)[0] == 409  # the revision is an older one
    students = api("GET", f"{ADDRESS}/roster")[1]["students"]
    alice = next(student for student in students if student["number"] == "1")
    link = alice["link"].partition("/join/")[2]
    assert Client().post(f"/join/{link}", {"password": PASSWORD}).status_code == 302
    students = api("GET", f"{ADDRESS}/roster")[1]["students"]
    alice = next(student for student in students if student["number"] == "1")
    assert (alice["link"], alice["account"]) == (None, alice["pseudonym"])
    assert api("GET", "/api/v1/courses")[1][0]["joined"] == 1


def test_bad_values_are_named(api, course):
    status, body = api("PUT", f"{ADDRESS}/roster", {"text": '1,"Ada', "revision": 1})
    assert status == 422
    assert body["errors"][0]["pointer"] == "/text"
    status, body = api("POST", "/api/v1/courses", {"title": "New", "game": "no-such-game"})
    assert status == 422
    assert body["errors"][0]["pointer"] == "/game"
    assert Course.objects.count() == 1


MILESTONE = {
    "title": "First bot",
    "rule": "accepted",
    "points": 10,
    "deadline": "2030-06-01T18:00:00+02:00",
    "late": {"kind": "grace", "minutes": 15},
}


def test_milestones_are_made_changed_and_deleted_by_program(api):
    api("POST", "/api/v1/courses", {"title": "Strategy 101", "game": "samurai"})
    status, made = api("POST", f"{ADDRESS}/milestones", MILESTONE)
    assert status == 201
    assert made["deadline"] == "2030-06-01T16:00:00Z"
    assert (made["late"], made["beats"], made["points"]) == ({"kind": "grace", "minutes": 15}, None, 10.0)
    assert api("GET", f"{ADDRESS}/milestones")[1] == [made]
    own = f"{ADDRESS}/milestones/{made['id']}"
    assert api("PUT", own, MILESTONE | {"title": "A bot", "revision": 1})[1]["revision"] == 2
    assert api("PUT", own, MILESTONE | {"revision": 1})[0] == 409
    assert api("POST", f"{own}/judgings", {"trial": True})[0] == 422
    assert api("GET", f"{ADDRESS}/grades") == (200, [])


def test_points_by_thresholds_are_read_as_they_were_given(api, admin_user):
    api("POST", "/api/v1/courses", {"title": "Strategy 101", "game": "samurai"})
    [dice] = activate(admin_user, Course.objects.get().competitions.get(), ["Dice"])
    Bot.objects.update(house=True)
    steps = [{"percent": 40, "points": 5.0}, {"percent": 60, "points": 7.5}]
    beats = {"bot": dice.bot_id, "percent": 40, "matches": 100, "margin": 0, "steps": steps}
    wanted = MILESTONE | {"rule": "beats", "beats": beats, "points": 7.5}
    status, made = api("POST", f"{ADDRESS}/milestones", wanted)
    assert (status, made["beats"]) == (201, beats)
    assert "40 % give 5 points, 60 % give 7.5 points" in made["sentence"].replace("\xa0", " ")
    status, problem = api("POST", f"{ADDRESS}/milestones", wanted | {"points": 8})
    assert (status, problem["code"]) == (422, "refused")
    assert "highest threshold" in problem["detail"]


def test_one_student_gets_more_time_for_one_milestone(api, course, teacher, assistant):
    _status, made = api("POST", f"{ADDRESS}/milestones", MILESTONE)
    _status, second = api("POST", f"{ADDRESS}/milestones", MILESTONE | {"title": "Another"})
    own = f"{ADDRESS}/milestones/{made['id']}/extensions"
    assert api("PUT", own, {"number": "2", "minutes": 90}) == (200, {"number": "2", "minutes": 90})
    assert api("GET", own) == (200, [{"number": "2", "minutes": 90}])
    boris = joined(teacher, course, "Boris Blau")
    page = boris.get("/courses/strategy-101/").content.decode()
    assert "2030-06-01T17:30:00+00:00" in page
    assert "2030-06-01T16:00:00+00:00" in page
    assert Act.objects.filter(details__extension=90, details__milestone=made["id"]).count() == 1
    address = f"/courses/strategy-101/milestones/{made['id']}/extensions/"
    assert "Boris Blau" in assistant.get(address).content.decode()
    assert assistant.post(address, {"number": "2", "extension": "9d"}).status_code == 404
    for given, words in {
        ("2", "soon"): "Expected an extension such as 2d, 36h or 90m, of at most a year; got “soon”.",
        ("2", "9999d"): "of at most a year",
        ("2\0", "\u202e1d"): "Expected an extension",
        ("99\0", "1d"): "There is no student “99",
    }.items():
        answer = teacher.post(address, {"number": given[0], "extension": given[1]}, follow=True)
        assert words in answer.content.decode()
    assert api("PUT", own, {"number": "99", "minutes": 1})[0] == 422
    assert api("PUT", own, {"number": "2", "minutes": 10**9})[1]["errors"][0]["pointer"] == "/minutes"
    assert api("PUT", own, {"number": "2", "minutes": 0})[0] == 200
    assert api("GET", own) == (200, [])
    assert api("GET", f"{ADDRESS}/milestones/{second['id']}/extensions") == (200, [])


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"title": "\u202e"}, "/title"),
        ({"title": ""}, "/title"),
        ({"deadline": "2030-06-01T18:00:00"}, "/deadline"),  # of which zone?
        ({"late": {"kind": "never"}}, "/late/kind"),
        ({"late": {"kind": "grace", "minutes": 10**9}}, "/late/minutes"),
        ({"points": -1}, "/points"),
        ({"rule": "loses"}, "/rule"),
        ({"rule": "beats", "beats": {"bot": 1, "percent": 100, "matches": 100}}, "/beats/percent"),
        (
            {
                "rule": "beats",
                "beats": {
                    "bot": 1,
                    "percent": 40,
                    "matches": 100,
                    "steps": [{"percent": 50, "points": 5}, {"percent": 50, "points": 6}],
                },
            },
            "/beats/steps",
        ),
        (
            {"rule": "beats", "beats": {"bot": 1, "percent": 95, "matches": 100, "margin": 10}},
            "/beats/margin",
        ),
    ],
)
def test_a_bad_milestone_by_program_names_its_field(api, changes, where):
    api("POST", "/api/v1/courses", {"title": "Strategy 101", "game": "samurai"})
    status, problem = api("POST", f"{ADDRESS}/milestones", MILESTONE | changes)
    assert status == 422
    assert [error["pointer"] for error in problem["errors"]] == [where]
    assert api("GET", f"{ADDRESS}/milestones")[1] == []


YEARS = [
    "9999-12-31T23:59:00Z",
    "9999-12-31T23:59:00-14:00",
    "0001-01-01T00:00:00+14:00",
    "1999-12-31T23:59:59Z",
]


def test_a_year_that_nobody_means_is_refused_wherever_a_time_is_given(teacher, course, api):
    """Pages that show such a time in a zone, or add days to it, would be errors from then on."""
    milestone = {"title": "First", "rule": "accepted", "points": 1}
    draft = {"title": "Far", "slug": "far", "game": "samurai"}
    cup = {"competition": "strategy-101", "name": "Cup", "format": "round_robin", "field": "all"}
    for year in YEARS:
        for address, wanted, field in (
            (f"{ADDRESS}/milestones", milestone, "deadline"),
            ("/api/v1/drafts", draft, "entry_closes"),
            ("/api/v1/tournaments", cup, "starts_at"),
        ):
            assert (api("POST", address, wanted | {field: year})[0], address) == (422, address)
    assert (
        api("POST", "/api/v1/tournaments", cup | {"starts_at": "2030-01-01T00:00:00"})[0] == 422
    )  # which zone?
    form = {"title": "First", "rule": "accepted", "points": "1", "policy": "last_accepted"}
    course.time_zone = "America/New_York"
    course.save()
    for year in ("9999-12-31T23:59", "0001-01-01T00:00"):
        answer = teacher.post(
            "/courses/strategy-101/milestones/new/", form | {"deadline": year, "past": "on"}
        )
        assert answer.status_code == 422
        assert "Expected a year from 2000 to 2199" in answer.content.decode()
    assert not course.milestones.exists()
