"""Personal links beside a second factor, on a site that is closed to new accounts, and of two courses."""

from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client

from agon.site.accounts.models import User
from agon.site.competitions.models import Participant
from agon.site.courses import joining, rosters, services
from agon.site.courses.models import Course, Student
from agon.site.use_cases import closing_accounts

from .conftest import PASSWORD, joined, links_of, take


def test_a_renewed_link_does_not_sign_in_past_a_second_factor(teacher, tina, course, client):
    joined(teacher, course, "Alice Anders")
    student = Student.objects.get(name="Alice Anders")
    TOTP.activate(student.user, "A" * 32)
    renewed = joining.renew_link(course, student.pk, tina)
    answer = client.post(f"/join/{renewed.secret}/", {"password": f"{PASSWORD} another"})
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert client.get("/accounts/security/").status_code == 302


def test_a_personal_link_lets_in_on_a_site_that_is_closed_to_new_accounts(teacher, course, settings):
    settings.AGON_REGISTRATION = "closed"
    assert joined(teacher, course, "Alice Anders").get("/accounts/security/").status_code == 200


def test_a_student_whose_number_was_corrected_keeps_the_account_and_all_that_belongs_to_it(teacher, course):
    alice = joined(teacher, course, "Alice Anders")
    before = Student.objects.get(number="1")
    take(teacher, course, "id,name\n17,Alice Anders\n2,Boris Blau\n", remove_missing="1")
    assert alice.get("/courses/strategy-101/").status_code == 404
    answer = alice.post(links_of(teacher, course)["Alice Anders"], {"as_myself": "1"})
    assert (answer.status_code, alice.get("/courses/strategy-101/").status_code) == (302, 200)
    place = Student.objects.get(number="17")
    assert (place.pk, place.user, place.own_account) == (before.pk, before.user, False)
    assert Participant.objects.filter(user=place.user).count() == 1
    assert not Student.objects.filter(number="1").exists()
    teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "renew"})  # a forgotten password
    assert Client().post(links_of(teacher, course)["Alice Anders"], {"password": PASSWORD}).status_code == 302


def _second_course(by: User, shared: Course) -> Course:
    """A course of another teacher that has the same competition, too."""
    made = services.create(by, "Second", "samurai", "UTC")
    made.competitions.set(shared.competitions.all())
    return made


def test_a_link_sets_no_password_of_a_student_of_other_teachers_too(teacher, tina, course, admin_client):
    second = _second_course(User.objects.get(username="admin"), course)
    take(admin_client, second, "id,name\n1,Alice Anders\n")
    alice = joined(teacher, course, "Alice Anders")
    place = course.students.get(number="1")
    waiting = joining.renew_link(course, place.pk, tina).secret
    alice.post(links_of(admin_client, second)["Alice Anders"], {"as_myself": "1"})
    assert alice.get("/courses/second/").status_code == 200
    assert Client().post(f"/join/{waiting}/", {"password": PASSWORD}).status_code == 404
    page = teacher.post(f"/courses/strategy-101/students/{place.pk}/", {"act": "renew"}, follow=True)
    assert "This account is also in a course of other teachers." in page.content.decode()
    assert not Student.objects.exclude(secret="").filter(user=place.user).exists()
    second.staff.create(user=tina, role="teacher")
    assert joining.renew_link(course, place.pk, tina).secret


def test_who_is_removed_from_one_course_still_enters_by_another(teacher, tina, course, admin_client):
    second = _second_course(User.objects.get(username="admin"), course)
    take(admin_client, second, "id,name\n1,Alice Anders\n")
    alice = joined(teacher, course, "Alice Anders")
    alice.post(links_of(admin_client, second)["Alice Anders"], {"as_myself": "1"})
    place = course.students.get(number="1")
    for where, left in ((course, 1), (second, 0)):
        rosters.remove_student(where, where.students.get(user=place.user).pk, tina)
        assert Participant.objects.filter(user=place.user).count() == left


def test_the_link_of_a_student_whose_account_was_closed_since_makes_another_account(teacher, tina, course):
    joined(teacher, course, "Alice Anders")
    place = Student.objects.get(name="Alice Anders")
    before = place.user
    link = f"/join/{joining.renew_link(course, place.pk, tina).secret}/"
    closing_accounts.close(before, before, "")
    alice = Client()
    assert alice.post(link, {"password": PASSWORD}).status_code == 302
    assert alice.get("/courses/strategy-101/").status_code == 200
    place.refresh_from_db()
    assert place.user.is_active
    before.refresh_from_db()
    assert not before.has_usable_password()
