"""The roster on the pages: the difference before it is taken, files, two teachers at once."""

import csv
import io
import re
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from agon.site.courses.models import Student
from tests.agon.site.courses.conftest import ROSTER, take

pytestmark = pytest.mark.django_db
ADDRESS = "/courses/strategy-101/roster/"


def text(answer) -> str:
    return answer.content.decode()


def numbers(course):
    return sorted(course.students.filter(removed=None).values_list("number", flat=True))


def test_a_difference_is_shown_before_anything_changes(teacher, course):
    new = (
        "id,name,e-mail,group\n1,Alice Anders,alice@school.example,Blue\n3,Chiyo Sato,,Blue\n"
        "4,Dora,bad@,Red\n5,Eve,,Red\n"
    )
    page = text(teacher.post(ADDRESS, {"text": new}))
    assert "1 new, 1 changed, 1 missing, 1 as before, 1 line unreadable" in page
    assert "Line 4: “bad@” is no e-mail address." in page
    assert "1 Alice Anders: group" in page
    assert "2 Boris Blau" in page
    assert numbers(course) == ["1", "2", "3"]
    take(teacher, course, new)
    assert numbers(course) == ["1", "2", "3", "5"]
    assert Student.objects.get(number="1").group == "Blue"
    take(teacher, course, new, remove_missing="on")
    assert numbers(course) == ["1", "3", "5"]


def test_the_difference_shows_the_extensions_of_new_students(teacher, course):
    new = "id,name,extension\n7,Gil,36h\n"
    assert "<td>1d 12h</td>" in text(teacher.post(ADDRESS, {"text": new}))
    take(teacher, course, new)
    assert Student.objects.get(number="7").extension == 36 * 60


def test_a_change_keeps_link_and_pseudonym(teacher, course):
    before = Student.objects.get(number="1")
    take(teacher, course, "id,name\n1,Alice Andersson")
    after = Student.objects.get(number="1")
    assert (after.secret, after.pseudonym) == (before.secret, before.pseudonym)
    assert (after.name, after.email) == ("Alice Andersson", "")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp932"])
def test_a_file_is_read_in_its_encoding(teacher, course, encoding):
    sent = SimpleUploadedFile("roster.csv", "id\tname\r\n7\t山田太郎\r\n".encode(encoding))
    page = text(teacher.post(ADDRESS, {"file": sent}))
    assert "山田太郎" in page
    assert "1 new" in page


def test_a_wrong_encoding_a_workbook_and_a_huge_file_are_refused(teacher, course):
    for content, encoding, words in (
        (b"7;\xff\xff", "utf-8", "not in the encoding utf-8"),
        (b"PK\x03\x04" + bytes(60), "", "This is a workbook."),
        (b"x" * (2 << 20) + b"y", "", "at most 2 MiB"),
    ):
        sent = SimpleUploadedFile("roster.csv", content)
        answer = teacher.post(ADDRESS, {"file": sent, "encoding": encoding})
        assert answer.status_code == 422
        assert words in text(answer)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "Paste a roster"),
        ('1,"Ada', "quotation marks do not match"),
        ("name,group\nAda,Red", "No column has the heading “id”"),
        ("1\n" * 10_001, "at most 10000 lines"),
    ],
)
def test_what_is_no_roster_is_refused_with_the_text_kept(teacher, course, given, words):
    answer = teacher.post(ADDRESS, {"text": given})
    assert answer.status_code == 422
    assert words in text(answer)
    assert numbers(course) == ["1", "2", "3"]


def test_of_two_teachers_at_once_the_second_sees_what_the_first_changed(teacher, course):
    seen = course.revision
    course.refresh_from_db()
    seen = course.revision
    take(teacher, course, ROSTER + "4,Dora,,Red\n")
    answer = teacher.post(
        ADDRESS, {"text": ROSTER, "take": "1", "revision": str(seen), "remove_missing": "on"}
    )
    assert "changed meanwhile" in text(answer)
    assert "4 Dora" in text(answer)
    assert numbers(course) == ["1", "2", "3", "4"]


@pytest.mark.exhaustive
def test_five_thousand_students_are_taken(teacher, course):
    rows = "".join(f"{number},Name {number},n{number}@school.example,Red\n" for number in range(5000))
    take(teacher, course, "id,name,email,group\n" + rows)
    assert course.students.count() == 5000
    assert course.students.values("pseudonym").distinct().count() == 5000
    assert course.students.values("secret").distinct().count() == 5000


def test_a_long_file_that_was_looked_at_can_be_taken(teacher, course):
    """A browser sends the text as the form of the difference says."""
    rows = "".join(f"{number},Константин Константинопольский,,Группа вторая\n" for number in range(10, 9010))
    sent = SimpleUploadedFile("roster.csv", f"id,name,email,group\n{rows}".encode())
    page = text(teacher.post(ADDRESS, {"file": sent}))
    [form] = re.findall(r'<form class="card stack" method="post"[^>]*>', page)
    course.refresh_from_db()
    facts = {"text": rows, "take": "1", "revision": str(course.revision)}
    if 'enctype="multipart/form-data"' in form:
        answer = teacher.post(ADDRESS, facts)
    else:
        answer = teacher.post(ADDRESS, urlencode(facts), content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 302
    assert course.students.filter(removed=None).count() == 9003


def test_the_file_of_the_roster_is_taken_again_without_a_change(teacher, course):
    take(teacher, course, ROSTER + '4,"=1+1",,"a, b"\n')
    answer = teacher.get("/courses/strategy-101/roster.csv")
    assert answer["Cache-Control"] == "private, no-store"
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert ["4", "'=1+1", "", "a, b", ""] in rows
    page = text(teacher.post(ADDRESS, {"file": SimpleUploadedFile("roster.csv", answer.content)}))
    assert "0 new" in page
    assert "Nothing changes." in page
