"""Milestones on the pages: their forms, what students see, the matrix, and the files of grades."""

import csv
import io
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from agon.site.bots import services as bots
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.core.texts.reasons import StoredReason
from agon.site.courses.models import Milestone, Student
from tests.agon.site.courses.conftest import joined, take
from tests.support.factories import activate, submit

pytestmark = pytest.mark.django_db
NEW = "/courses/strategy-101/milestones/new/"
PROGRESS = "/courses/strategy-101/progress/"
FORM = {
    "title": "First bot",
    "rule": "accepted",
    "points": "10",
    "deadline": "2030-06-01T18:00",
    "policy": "percent_a_day",
    "minutes": "15",
    "percent": "25",
}


def text(answer) -> str:
    return answer.content.decode()


def add(teacher, **changes) -> Milestone:
    answer = teacher.post(NEW, FORM | changes)
    assert answer.status_code == 302, text(answer)
    return Milestone.objects.latest("pk")


def account_of(number):
    return Student.objects.get(number=number).user


def uploaded_at(submission, when):
    Submission.objects.filter(pk=submission.pk).update(created=when)


def grades(teacher, form=""):
    answer = teacher.get(f"/courses/strategy-101/grades{form}.csv")
    assert "private" in answer["Cache-Control"]
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


def points_of(teacher):
    """By number of the student, the points of each milestone as the file has them."""
    head, *rows = grades(teacher)
    first, last = head.index("group") + 1, head.index("total")
    return {row[0]: row[first:last] for row in rows}


def test_a_bot_that_plays_at_home_is_no_upload(teacher, course):
    add(teacher)
    joined(teacher, course, "Alice Anders")
    bots.enter_at_home(account_of("1"), course.competitions.get(), "At home")
    assert points_of(teacher)["1"] == [""]
    activate(account_of("1"), course.competitions.get(), ["Alice's"])
    assert points_of(teacher)["1"] == ["10.00"]


def test_a_student_sees_what_is_asked_for_and_until_when(teacher, course):
    add(teacher)
    student = joined(teacher, course, "Alice Anders")
    page = text(student.get("/courses/strategy-101/"))
    assert "First bot" in page
    assert 'datetime="2030-06-01T16:00:00+00:00"' in page  # 18:00 in Berlin, in summer
    assert "(Europe/Berlin, UTC+02:00)" in page
    assert "Each day late that has begun costs 25 % of the points." in page
    assert re.search(r"data-countdown=.2030-06-01T16:00:00", page)
    assert ">not yet<" in page


def test_a_deadline_that_clocks_skip_or_show_twice_or_that_is_past_is_refused(teacher, course):
    for deadline, words in (
        ("2030-03-31T02:30", "Clocks in Europe/Berlin skip this time."),
        ("2030-10-27T02:30", "Clocks in Europe/Berlin show this time twice."),
        ("2020-01-01T00:00", "This time is in the past."),
    ):
        answer = teacher.post(NEW, FORM | {"deadline": deadline})
        assert answer.status_code == 422
        assert words in text(answer)
    assert not Milestone.objects.exists()
    add(teacher, deadline="2020-01-01T00:00", past="on")


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"title": "x\u202ey"}, "A title needs visible letters"),
        ({"title": " "}, "required"),
        ({"points": "-1"}, "greater than or equal to 0"),
        ({"points": "NaN"}, "Enter a number"),
        ({"policy": "grace", "minutes": ""}, "Expected a number of minutes."),
        ({"policy": "percent_a_day", "percent": "0"}, "greater than or equal to 1"),
        ({"rule": "bribes"}, "not one of the available choices"),
    ],
)
def test_a_bad_milestone_is_refused_at_its_field(teacher, course, changes, words):
    answer = teacher.post(NEW, FORM | changes)
    assert answer.status_code == 422
    assert words in text(answer)
    assert not Milestone.objects.exists()


def test_of_two_teachers_who_change_a_milestone_the_second_is_told(teacher, course):
    made = add(teacher)
    address = f"/courses/strategy-101/milestones/{made.pk}/"
    assert teacher.post(address, FORM | {"title": "Other", "revision": "1"}).status_code == 302
    answer = teacher.post(address, FORM | {"title": "Third", "revision": "1"})
    assert answer.status_code == 422
    assert "changed meanwhile" in text(answer)
    assert Milestone.objects.get().title == "Other"
    page = text(teacher.get(address))
    assert 'value="2030-06-01T18:00"' in page
    assert teacher.post(address, {"delete": "1"}).status_code == 302
    assert teacher.post(address, FORM | {"revision": "2"}).status_code == 404


def test_points_follow_the_time_of_the_upload_and_the_students_own_deadline(teacher, course):
    for name in ("Alice Anders", "Boris Blau", "Chiyo Sato"):
        joined(teacher, course, name)
    take(teacher, course, "id,name,extension\n1,Alice\n2,Boris\n3,Chiyo,2d\n")
    competition = course.competitions.get()
    deadline = timezone.now().replace(second=0, microsecond=0) - timedelta(days=4)
    made = add(teacher)
    Milestone.objects.filter(pk=made.pk).update(deadline=deadline)
    versions = {number: activate(account_of(number), competition, [f"Bot {number}"])[0] for number in "123"}
    uploaded_at(versions["1"], deadline)
    uploaded_at(versions["2"], deadline + timedelta(minutes=1))
    uploaded_at(versions["3"], deadline + timedelta(days=2))
    assert points_of(teacher) == {"1": ["10.00"], "2": ["7.50"], "3": ["10.00"]}
    uploaded_at(versions["3"], deadline + timedelta(days=2, minutes=1))
    assert points_of(teacher)["3"] == ["7.50"]


def test_a_queue_makes_nobody_late(teacher, course):
    """The upload was in time; its check goes on after the deadline."""
    joined(teacher, course, "Alice Anders")
    joined(teacher, course, "Boris Blau")
    deadline = timezone.now() - timedelta(hours=1)
    made = add(teacher, policy="last_accepted")
    Milestone.objects.filter(pk=made.pk).update(deadline=deadline)
    competition = course.competitions.get()
    waiting = submit(account_of("1"), competition, "Slow", State.QUALIFYING)
    uploaded_at(waiting, deadline - timedelta(minutes=1))
    assert points_of(teacher) == {"1": [""], "2": ["0"], "3": ["0"]}
    Submission.objects.filter(pk=waiting.pk).update(state=State.ACTIVE, activated=timezone.now())
    assert points_of(teacher)["1"] == ["10.00"]


def test_the_matrix_shows_who_is_stuck_and_on_which_sentence(teacher, course):
    joined(teacher, course, "Alice Anders")
    add(teacher)
    add(teacher, title="Join", rule="joined", points="2.5", deadline="")
    rejected = submit(account_of("1"), course.competitions.get(), "Hapless", State.REJECTED)
    Submission.objects.filter(pk=rejected.pk).update(reason=StoredReason("no_build"))
    page = text(teacher.get(PROGRESS))
    row = re.search(r"<td>1</td>.*?</tr>", page, re.DOTALL)[0]
    assert row.count("not yet") == 1
    assert str(StoredReason("no_build")) in row
    assert "passed" in row
    assert '<td class="num">2.5</td>' in row
    assert f'href="/u/{account_of("1").username}/"' in row


def test_grades_follow_the_scale(teacher, course):
    joined(teacher, course, "Alice Anders")
    add(teacher, rule="joined", deadline="", points="80")
    for bad in ("A 90", "90", "90 A\n90 B", "x A", "NaN A", "-1 A", "1e-99 A", "0.0000001 A", "1e9 A"):
        refused = teacher.post("/courses/strategy-101/scale/", {"scale": bad})
        course.refresh_from_db()
        assert course.scale == []
        assert bad in refused.content.decode()  # nothing of it has to be written again
    teacher.post("/courses/strategy-101/scale/", {"scale": "75,5 good\n\n90 very good"})
    rows = grades(teacher)
    assert rows[0][-2:] == ["total", "grade"]
    assert {row[0]: row[-2:] for row in rows[1:]} == {"1": ["80.00", "good"], "2": ["0", ""], "3": ["0", ""]}
    assert "90 very good\n75.5 good" in text(teacher.get(PROGRESS))


def test_of_two_scales_at_once_the_second_one_is_not_stored_in_silence(teacher, course):
    add(teacher)
    seen = re.search('name="seen" value="(.+)"', text(teacher.get(PROGRESS)))[1]
    first, second = ({"scale": scale, "seen": seen} for scale in ("90 A", "80 A\n60 B"))
    assert teacher.post("/courses/strategy-101/scale/", first).status_code == 302
    refused = text(teacher.post("/courses/strategy-101/scale/", second))
    assert "The scale was changed meanwhile. It is: 90 A." in refused
    assert "80 A\n60 B</textarea>" in refused
    course.refresh_from_db()
    assert course.scale == [["90", "A"]]
    second["seen"] = re.search('name="seen" value="(.+)"', refused)[1]
    assert teacher.post("/courses/strategy-101/scale/", second).status_code == 302


def test_moodle_and_canvas_get_their_columns(teacher, course):
    joined(teacher, course, "Alice Anders")
    add(teacher, rule="joined", deadline="")
    moodle = grades(teacher, "-moodle")
    assert moodle[0] == ["ID number", "Email address", "First bot"]
    assert ["1", "alice@school.example", "10.00"] in moodle
    canvas = grades(teacher, "-canvas")
    assert canvas[0][:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert ["Alice Anders", "", "1", "", "Red", "10.00"] in canvas


def test_the_grades_equal_an_independent_recomputation(teacher, course):
    """From the times of the uploads alone: whole days late, 25 % each."""
    for name in ("Alice Anders", "Boris Blau", "Chiyo Sato"):
        joined(teacher, course, name)
    deadline = timezone.now() - timedelta(days=9)
    made = add(teacher, points="12.40")
    Milestone.objects.filter(pk=made.pk).update(deadline=deadline)
    expected = {}
    for number, hours in (("1", 20), ("2", 70), ("3", 100)):
        version = activate(account_of(number), course.competitions.get(), [f"Bot {number}"])[0]
        uploaded_at(version, deadline + timedelta(hours=hours))
        days = hours // 24 + 1  # no clock changes by so much that the day is another
        expected[number] = [str(round(Decimal("12.40") * max(0, 100 - 25 * days) / 100, 2))]
    points = points_of(teacher)
    assert points["1"] == expected["1"]
    assert points["2"] == expected["2"]
    assert [Decimal(points["3"][0])] == [Decimal(expected["3"][0])]


@pytest.mark.parametrize(
    ("number", "extension", "words"),
    [("2", "2 weeks", "Expected an extension such as 2d"), ("22", "2h", "There is no student “22”")],
)
def test_an_extension_that_is_refused_stays_in_its_form(teacher, course, number, extension, words):
    made = add(teacher)
    page = f"/courses/strategy-101/milestones/{made.pk}/extensions/"
    answer = teacher.post(page, {"number": number, "extension": extension})
    shown = text(answer)
    assert answer.status_code == 422
    assert words in shown
    assert f'name="number" value="{number}"' in shown
    assert f'name="extension" value="{extension}"' in shown
    assert 'name="number" value=""' in text(teacher.get(page))


def test_an_assistant_reads_and_changes_nothing(teacher, assistant, course):
    made = add(teacher)
    assert assistant.get(PROGRESS).status_code == 200
    assert assistant.get("/courses/strategy-101/grades.csv").status_code == 200
    assert "new-milestone" not in text(assistant.get(PROGRESS))
    for address in (NEW, f"/courses/strategy-101/milestones/{made.pk}/", "/courses/strategy-101/scale/"):
        assert assistant.post(address, FORM).status_code == 404


def test_the_page_for_uploads_shows_a_student_what_is_due_and_nobody_else(teacher, course, client):
    add(teacher)
    add(teacher, title="Past one", deadline="2020-01-01T00:00", past="on")
    add(teacher, title="Sooner", deadline="2029-06-01T18:00")
    take(teacher, course, "id,name,extension\n1,Alice Anders,1h\n2,Boris Blau,\n3,Chiyo Sato,\n")
    student = joined(teacher, course, "Alice Anders")
    address = f"/c/{course.competitions.get().slug}/submit/"
    page = text(student.get(address))
    assert page.index("Sooner") < page.index("First bot")
    assert "Past one" not in page
    assert "2030-06-01T17:00:00" in page  # an hour after that of the others
    for reader in (teacher, client):
        assert "First bot" not in text(reader.get(address))


def test_the_staff_sees_what_of_the_class_is_still_checked(teacher, course):
    add(teacher)
    assert 'id="queue"' not in text(teacher.get(PROGRESS))
    for number, name in (("1", "Alice Anders"), ("2", "Boris Blau")):
        joined(teacher, course, name)
        submit(account_of(number), course.competitions.get(), f"Bot {number}", State.RECEIVED)
    page = text(teacher.get(PROGRESS))
    assert "2 versions are being checked" in page
    assert "Place 2 in the queue" in page
