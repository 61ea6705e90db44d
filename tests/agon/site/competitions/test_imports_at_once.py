"""The same file that is imported several times at the same moment, through the API and the pages."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from agon.site.accounts.models import User
from agon.site.competitions import bundles, organizing
from agon.site.competitions.models import Competition, CompetitionDraft, PastTable
from agon.site.competitions.past import Table
from agon.site.competitions.settings import CompetitionSettings
from agon.site.courses import services as courses
from agon.site.courses.models import Student
from agon.site.tokens.services import issue
from tests.agon.site.web.conftest import browser_of
from tests.support.at_once import outcomes_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SETTINGS = CompetitionSettings("Spring cup", "spring-cup", "honest_rps")
RESULTS = Table("Final", "https://example.org", ("Rank", "Bot"), (("1", "a"), ("2", "b")))
ROSTER = "number,name,email\n1,Ann,ann@example.org\n2,Ben,ben@example.org\n"


@pytest.fixture
def headers(olga):
    return {"authorization": f"Bearer {issue(olga, 'test', ['read', 'organize'])[1]}"}


def bundle():
    return SimpleUploadedFile("cup.zip", bundles.pack(SETTINGS, [RESULTS]))


def imported(headers):
    return Client(raise_request_exception=False).post(
        "/api/v1/drafts/import", {"file": bundle()}, headers=headers
    )


def statuses(outcomes):
    return sorted(outcome.status_code for outcome in outcomes)


def test_with_one_key_it_is_one_draft(headers):
    again = headers | {"idempotency-key": "cup"}
    outcomes = outcomes_at_once([lambda: imported(again)] * 4)
    assert statuses(outcomes) == [201] * 4
    assert CompetitionDraft.objects.count() == PastTable.objects.count() == 1


def test_without_a_key_drafts_are_whole_and_one_of_them_becomes_the_competition(olga, headers):
    outcomes = outcomes_at_once([lambda: imported(headers)] * 4)
    assert statuses(outcomes) == [201] * 4
    assert list(PastTable.objects.values_list("number", flat=True)) == [0] * 4
    drafts = [outcome.json()["id"] for outcome in outcomes]

    def open_it(number):
        client = Client(raise_request_exception=False)
        return client.post(f"/api/v1/drafts/{number}/open", headers=headers)

    opened = outcomes_at_once([lambda number=number: open_it(number) for number in drafts])
    assert statuses(opened) == [201, 422, 422, 422]
    assert {problem.json()["errors"][0]["pointer"] for problem in opened if problem.status_code == 422} == {
        "/slug"
    }
    assert Competition.objects.get(slug="spring-cup").past.count() == 1


def test_no_more_drafts_than_one_may_have(olga, headers, monkeypatch):
    monkeypatch.setattr(organizing, "MOST_DRAFTS", 2)
    outcomes = outcomes_at_once([lambda: imported(headers)] * 4)
    assert statuses(outcomes) == [201, 201, 422, 422]
    assert "2 drafts" in next(outcome for outcome in outcomes if outcome.status_code == 422).json()["detail"]


def test_a_form_that_is_sent_twice_is_one_draft(olga):
    desk = browser_of(olga)
    desk.get("/competitions/")
    token = desk.get("/competitions/").context["csrf_token"]

    def send():
        twin = Client(enforce_csrf_checks=True, raise_request_exception=False)
        twin.cookies = desk.cookies
        sent = {"file": bundle(), "csrfmiddlewaretoken": str(token)}
        return twin.post("/competitions/import/", sent)

    outcomes = outcomes_at_once([send] * 3)
    assert statuses(outcomes) == [302] * 3
    assert len({outcome["Location"] for outcome in outcomes}) == 1
    assert CompetitionDraft.objects.count() == 1


class TestARoster:
    @pytest.fixture
    def course(self, olga):
        return courses.create(olga, "Class", "honest_rps", "UTC")

    def test_is_taken_once_by_program(self, course, olga):
        headers = {"authorization": f"Bearer {issue(olga, 'test', ['read', 'organize'])[1]}"}
        sent = {"text": ROSTER, "revision": course.revision}

        def send():
            client = Client(raise_request_exception=False)
            address = f"/api/v1/courses/{course.slug}/roster"
            return client.put(address, sent, "application/json", headers=headers)

        outcomes = outcomes_at_once([send] * 4)
        assert statuses(outcomes) == [200, 409, 409, 409]
        assert "changed meanwhile" in max(outcomes, key=lambda outcome: outcome.status_code).json()["detail"]
        assert Student.objects.filter(course=course).count() == 2

    def test_is_taken_once_by_two_teachers(self, course, olga):
        teachers = [olga, User.objects.create_superuser("root")]
        address = reverse("course_roster", args=[course.slug])
        sent = {"text": ROSTER, "revision": str(course.revision), "take": "1"}
        outcomes = outcomes_at_once(
            [lambda user=user: browser_of(user).post(address, sent) for user in teachers]
        )
        assert sorted(outcome.status_code for outcome in outcomes)[1] == 302
        assert Student.objects.filter(course=course).count() == 2
