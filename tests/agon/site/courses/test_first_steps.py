"""From nothing to a class that has joined: the teacher's pages and the student's."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.competitions.organizing import MOST_ORGANIZERS
from agon.site.courses.models import Course, Student
from agon.site.use_cases import closing_accounts
from tests.agon.site.courses.conftest import PASSWORD, ROSTER, joined, links_of, take
from tests.agon.site.web.conftest import browser_of

pytestmark = pytest.mark.django_db
BOT = {"way": "text", "text": "print('READY')\n", "language": "python"}


def text(answer) -> str:
    return answer.content.decode()


def test_a_course_has_a_competition_for_its_students_alone(course):
    competition = Competition.objects.get(slug="strategy-101")
    assert list(course.competitions.all()) == [competition]
    assert (competition.entry, competition.is_open, competition.time_zone) == (
        "roster",
        True,
        "Europe/Berlin",
    )
    stranger = browser_of(User.objects.create_user("sam"))
    refused = stranger.post("/c/strategy-101/submit/", BOT | {"name": "Intruder"})
    assert refused.status_code in (403, 422)
    assert "for the students of a course" in text(refused)
    assert not Bot.objects.filter(house=False).exists()


def test_a_student_follows_the_link_chooses_a_password_and_enters_a_bot(teacher, course):
    student = joined(teacher, course, "Alice Anders")
    place = Student.objects.get(number="1")
    assert place.user.username == place.pseudonym
    page = text(student.get("/courses/strategy-101/"))
    assert place.pseudonym in page
    assert "/c/strategy-101/submit/" in page
    student.post("/c/strategy-101/submit/", BOT | {"name": "First try"})
    assert Bot.objects.get(name="First try").owner == place.user
    again = Client()
    assert again.login(username=place.pseudonym, password=PASSWORD)


def test_a_link_works_once(teacher, course):
    link = links_of(teacher, course)["Alice Anders"]
    assert Client().get(link).status_code == 200
    assert not Student.objects.get(number="1").user  # to look at the page changes nothing
    joined(teacher, course, "Alice Anders")
    late = Client().post(link, {"password": PASSWORD})
    assert late.status_code == 404
    assert "ask your teacher for a new link" in text(late)
    assert "Alice Anders" not in links_of(teacher, course)


@pytest.mark.first(1)
@pytest.mark.parametrize("password", ["", "short", "12345678", "password"])
def test_a_weak_password_is_refused_and_the_link_still_works(teacher, course, password):
    link = links_of(teacher, course)["Alice Anders"]
    assert Client().post(link, {"password": password}).status_code == 422
    assert not User.objects.filter(studies__isnull=False).exists()
    joined(teacher, course, "Alice Anders")


def test_a_forgotten_password_is_replaced_by_a_new_link(teacher, course):
    joined(teacher, course, "Alice Anders")
    place = Student.objects.get(number="1")
    page = text(teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "renew"}, follow=True))
    place.refresh_from_db()
    link = f"/join/{place.secret}/"
    assert link in page
    browser = Client()
    assert place.pseudonym in text(browser.get(link))
    browser.post(link, {"password": "another long one 8"})
    assert Client().login(username=place.pseudonym, password="another long one 8")
    assert not Client().login(username=place.pseudonym, password=PASSWORD)
    assert Client().get(link).status_code == 404


@pytest.mark.parametrize("when", ["before the link", "after the link"])
def test_a_link_never_sets_the_password_of_an_account_that_got_rights(teacher, course, when):
    joined(teacher, course, "Alice Anders")
    place = Student.objects.get(number="1")
    address = f"/courses/strategy-101/students/{place.pk}/"
    if when == "after the link":
        teacher.post(address, {"act": "renew"})
    place.user.user_permissions.add(Permission.objects.get(codename="change_tournament"))
    page = text(teacher.post(address, {"act": "renew"}, follow=True))
    assert "rights beyond those of a student" in page
    place.refresh_from_db()
    if place.secret:
        refused = Client().post(f"/join/{place.secret}/", {"password": "another long one 8"})
        assert refused.status_code == 422
    assert Client().login(username=place.pseudonym, password=PASSWORD)


def test_a_student_who_closed_the_account_joins_anew(teacher, course):
    joined(teacher, course, "Alice Anders")
    place = Student.objects.get(number="1")
    closing_accounts.close(place.user, place.user, "gone", bots_too=False)
    assert "Alice Anders" not in links_of(teacher, course)
    teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "renew"})
    joined(teacher, course, "Alice Anders")
    assert Student.objects.get(number="1").user != place.user


def test_a_student_with_an_account_joins_with_it_and_its_password_is_out_of_reach(teacher, course):
    own = User.objects.create_user("alice", password=PASSWORD)
    browser = browser_of(own)
    link = links_of(teacher, course)["Alice Anders"]
    assert browser.post(link, {"as_myself": "1"}).status_code == 302
    place = Student.objects.get(number="1")
    assert place.user == own
    teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "renew"})
    place.refresh_from_db()
    assert place.secret == ""
    second = links_of(teacher, course)["Boris Blau"]
    assert browser.post(second, {"as_myself": "1"}).status_code == 422
    assert Student.objects.get(number="2").user is None
    assert teacher.post(second, {"as_myself": "1"}).status_code == 422


def test_a_pseudonym_that_somebody_else_took_is_drawn_again(teacher, course):
    place = Student.objects.get(number="1")
    User.objects.create_user(place.pseudonym)
    joined(teacher, course, "Alice Anders")
    drawn = Student.objects.get(number="1")
    assert drawn.user.username == drawn.pseudonym != place.pseudonym


def test_a_removed_student_enters_nothing_any_more_and_the_bots_stay(teacher, course):
    student = joined(teacher, course, "Alice Anders")
    student.post("/c/strategy-101/submit/", BOT | {"name": "First try"})
    place = Student.objects.get(number="1")
    teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "remove"})
    assert student.get("/courses/strategy-101/").status_code == 404
    assert student.post("/c/strategy-101/submit/", BOT | {"name": "Second"}).status_code in (403, 422)
    assert Bot.objects.filter(owner=place.user).count() == 1
    take(teacher, course, ROSTER)  # the student is on it again
    assert student.get("/courses/strategy-101/").status_code == 200
    student.post("/c/strategy-101/submit/", BOT | {"name": "Second"})
    assert Bot.objects.filter(owner=place.user).count() == 2


def test_a_closed_course_lets_nobody_in_until_it_is_opened_again(teacher, course):
    link = links_of(teacher, course)["Alice Anders"]
    teacher.post("/courses/strategy-101/state/", {"state": "closed"})
    assert Client().post(link, {"password": PASSWORD}).status_code == 404
    assert "The course is closed." in text(take(teacher, course, "9,Zed"))
    assert not course.students.filter(number="9").exists()
    teacher.post("/courses/strategy-101/state/", {"state": "open"})
    assert Client().post(link, {"password": PASSWORD}).status_code == 302


def test_the_last_teacher_stays(teacher, course, tina, assistant):
    assert assistant.get("/c/strategy-101/settings/").status_code == 404
    page = text(teacher.post("/courses/strategy-101/staff/", {"remove": str(tina.pk)}, follow=True))
    assert "A course needs a teacher." in page
    page = text(
        teacher.post("/courses/strategy-101/staff/", {"name": "tina", "role": "assistant"}, follow=True)
    )
    assert "A course needs a teacher." in page
    teacher.post("/courses/strategy-101/staff/", {"name": "abel", "role": "teacher"})
    assert assistant.get("/c/strategy-101/settings/").status_code == 200  # runs its competition, too
    teacher.post("/courses/strategy-101/staff/", {"remove": str(tina.pk)})
    assert teacher.get("/courses/strategy-101/").status_code == 404
    assert teacher.get("/c/strategy-101/settings/").status_code == 404
    assert assistant.get("/courses/strategy-101/roster/").status_code == 200


def test_the_staff_of_a_course_takes_no_right_that_it_did_not_give(teacher, course):
    competition = course.competitions.get()
    for number in range(MOST_ORGANIZERS - 1):
        organizer = User.objects.create_user(f"organizer{number}")
        competition.organizers.create(user=organizer)
    User.objects.create_user("late")
    page = teacher.post("/courses/strategy-101/staff/", {"name": "late", "role": "teacher"}, follow=True)
    assert "At most 20 organizers." in text(page)
    assert course.staff.count() == 1
    teacher.post("/courses/strategy-101/staff/", {"name": organizer.username, "role": "assistant"})
    assert competition.organizers.filter(user=organizer).exists()  # who ran it before
    teacher.post("/courses/strategy-101/staff/", {"remove": str(organizer.pk)})
    assert competition.organizers.filter(user=organizer).exists()
    teacher.post("/courses/strategy-101/staff/", {"name": organizer.username, "role": "teacher"})
    second_course = Course.objects.create(slug="other", title="Other")
    second_course.competitions.add(competition)
    second_course.staff.create(user=organizer, role="teacher")
    teacher.post("/courses/strategy-101/staff/", {"remove": str(organizer.pk)})
    assert competition.organizers.filter(user=organizer).exists()  # still teaches another course with it


def test_a_closed_account_leaves_the_staff(course, tina):
    closing_accounts.close(tina, tina, "gone", bots_too=False)
    assert not course.staff.exists()


def test_no_act_of_the_log_names_a_student(teacher, course):
    joined(teacher, course, "Alice Anders")
    written = str(list(Act.objects.values_list("subject", "reason", "details")))
    assert "Strategy 101" in written
    assert not any(word in written for word in ("Alice", "Anders", "alice@"))


def test_titles_without_latin_letters_and_equal_titles_have_addresses(teacher, course):
    for title in ("戦略入門", "Strategy 101 "):
        answer = teacher.post(
            "/courses/new/", {"title": title, "game": "samurai", "time_zone": "Asia/Kathmandu"}
        )
        assert answer.status_code == (302 if title == "戦略入門" else 422), text(answer)
    assert Course.objects.get(title="戦略入門").slug == "course"


def test_names_of_a_closed_course_can_be_deleted_and_the_rest_stays(teacher, course):
    student = joined(teacher, course, "Alice Anders")
    state = f"/courses/{course.slug}/state/"
    assert "Close the course first." in teacher.post(state, {"state": "forget"}, follow=True).content.decode()
    teacher.post(state, {"state": "closed"})
    teacher.post(state, {"state": "forget"})
    pages = [f"/courses/{course.slug}/{page}" for page in ("", "progress/", "grades.csv", "roster.csv")]
    for page in pages:
        body = teacher.get(page).content.decode()
        for name in ("Alice", "Anders", "alice@school.example", "Boris", "Chiyo"):
            assert name not in body, (page, name)
    assert student.get(f"/courses/{course.slug}/").status_code == 200
    assert course.students.filter(user__isnull=False).count() == 1
