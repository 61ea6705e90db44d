"""Personal links beside a second factor, and on a site that is closed to new accounts."""

from allauth.mfa.totp.internal.auth import TOTP

from agon.site.courses import services
from agon.site.courses.models import Student

from .conftest import PASSWORD, joined


def test_a_renewed_link_does_not_sign_in_past_a_second_factor(teacher, tina, course, client):
    joined(teacher, course, "Alice Anders")
    student = Student.objects.get(name="Alice Anders")
    TOTP.activate(student.user, "A" * 32)
    renewed = services.renew_link(course, student.pk, tina)
    answer = client.post(f"/join/{renewed.secret}/", {"password": f"{PASSWORD} another"})
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert client.get("/accounts/security/").status_code == 302


def test_a_personal_link_lets_in_on_a_site_that_is_closed_to_new_accounts(teacher, course, settings):
    settings.AGON_REGISTRATION = "closed"
    assert joined(teacher, course, "Alice Anders").get("/accounts/security/").status_code == 200
