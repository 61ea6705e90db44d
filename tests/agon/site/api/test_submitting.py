"""Entering a program with one request, and following it."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.core.stored_files import in_storage
from tests.support.factories import activate, submit

from .conftest import PROGRAM, Program


def test_a_program_is_entered_with_one_request(ada, competition):
    response = ada.submit()

    assert response.status_code == 201, response.content
    data = response.json()
    stored = Submission.objects.get()
    assert data["id"] == stored.pk
    assert (data["name"], data["version"], data["state"]) == ("Rita", 1, "received")
    assert data["is_final"] is False
    assert ada.get(f"submissions/{stored.pk}").json() == data
    assert ada.get(f"submissions/{stored.pk}/source").content == PROGRAM


def test_the_same_program_for_the_same_bot_is_the_same_submission(ada, competition):
    first, again = ada.submit(), ada.submit()

    assert again.status_code == 200
    assert again.json() == first.json()
    assert ada.submit(b"print('READY') # 2\n").json()["version"] == 2
    assert ada.submit(bot="Sue").json()["bot"] != first.json()["bot"]


def test_a_rejected_program_can_be_sent_again(ada, user, competition):
    first = Submission.objects.get(pk=ada.submit().json()["id"])
    Submission.objects.filter(pk=first.pk).update(state=State.REJECTED)

    assert ada.submit().json()["version"] == 2


def test_a_program_is_entered_again_after_another_one_was_rejected(ada, competition):
    """A milestone may ask for the last upload, accepted or not: the author sends the one that works again."""
    first = ada.submit().json()
    Submission.objects.filter(pk=first["id"]).update(state=State.ACTIVE)
    faulty = ada.submit(b"print('READY') # 2\n").json()
    Submission.objects.filter(pk=faulty["id"]).update(state=State.REJECTED)
    again = ada.submit()

    assert (again.status_code, again.json()["version"]) == (201, 3)


def test_a_text_is_entered_in_its_language(ada, competition):
    path = "/api/v1/competitions/samurai/submissions"
    fields = {"bot": "Rita", "text": PROGRAM.decode(), "language": "python"}
    response = ada.client.post(path, fields, headers=ada.headers)

    assert response.status_code == 201
    assert ada.get(f"submissions/{response.json()['id']}/source").content == PROGRAM


def test_a_dry_run_says_what_would_happen_and_keeps_nothing(ada, competition):
    response = ada.submit(dry_run="1")

    assert response.status_code == 200
    data = response.json()
    assert (data["language"], data["files"], data["version"]) == ("python", ["rita.py"], 1)
    assert data["is_new_bot"] is True
    assert not Bot.objects.exists()
    assert not Submission.objects.exists()


def test_a_dry_run_refuses_what_a_submission_would_refuse(ada, competition):
    response = ada.submit(name="bot.zip", data=b"no archive", dry_run="1")

    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "file"


def test_the_sentence_of_a_refusal_is_that_of_the_page(ada, user, competition):
    Bot.objects.create(owner=user.__class__.objects.create_user("bob"), competition=competition, name="Rita")
    problem = ada.submit().json()

    assert problem["code"] == "refused"
    assert "Rita" in problem["detail"]
    assert problem["errors"][0]["parameter"] == "bot"
    assert problem["hint"]


def test_a_closed_competition_says_so(ada, competition):
    competition.state = competition.State.CLOSED
    competition.save()
    response = ada.submit()

    assert response.status_code == 409
    assert response.json()["code"] == "closed"


def test_a_limit_says_when_to_try_again(ada, user, competition, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 1
    ada.submit()
    response = ada.submit(b"print('READY') # 2\n")

    assert response.status_code == 429
    assert response.json()["code"] == "quota"
    assert 3500 < int(response.headers["Retry-After"]) <= 3600


def test_a_site_without_room_is_not_the_request_s_fault(ada, competition, settings):
    settings.AGON_SITE_MIB = 0
    response = ada.submit()

    assert response.status_code == 503
    assert response.json()["code"] == "unavailable"
    assert "This site has no" in response.json()["detail"]


def test_either_a_file_or_a_text_is_needed(ada, competition):
    path = "/api/v1/competitions/samurai/submissions"
    response = ada.client.post(path, {"bot": "Rita"}, headers=ada.headers)

    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "file"


def test_an_unknown_field_is_refused(ada, competition):
    response = ada.submit(colour="red")

    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "colour"
    assert not Submission.objects.exists()


def test_what_others_entered_does_not_exist(ada, competition, django_user_model):
    bob = Program(django_user_model.objects.create_user("bob"))
    number = bob.submit().json()["id"]

    assert ada.get(f"submissions/{number}").status_code == 404
    assert ada.get(f"submissions/{number}/source").status_code == 404
    assert ada.delete(f"submissions/{number}").status_code == 404


def test_an_earlier_version_plays_again(ada, user, competition):
    first = ada.submit().json()["id"]
    second = ada.submit(b"print('READY') # 2\n").json()["id"]
    Submission.objects.filter(pk=first).update(state=State.REPLACED)
    Submission.objects.filter(pk=second).update(state=State.ACTIVE)

    assert ada.post(f"submissions/{second}/activate").json()["id"] == second
    response = ada.post(f"submissions/{first}/activate")
    assert response.status_code == 201
    assert response.json()["version"] == 3


def test_a_bot_is_renamed_withdrawn_and_deleted(ada, user, competition):
    [own] = activate(user, competition, ["Rita"])
    path = f"bots/{own.bot_id}"

    assert ada.patch(path, {"name": "Sue"}).json()["name"] == "Sue"
    assert ada.post(f"{path}/withdraw").json()["state"] == "withdrawn"
    assert ada.post(f"{path}/withdraw").json()["state"] == "withdrawn"
    assert ada.delete(path).json()["state"] == "deleted"


def test_nothing_can_be_done_with_bots_of_others(ada, competition, django_user_model):
    [own] = activate(django_user_model.objects.create_user("bob"), competition, ["Rita"])

    for response in (
        ada.patch(f"bots/{own.bot_id}", {"name": "Sue"}),
        ada.post(f"bots/{own.bot_id}/withdraw"),
        ada.delete(f"bots/{own.bot_id}"),
    ):
        assert response.status_code == 403
        assert response.json()["code"] == "not_allowed"
    assert Bot.objects.get(pk=own.bot_id).name == "Rita"


def test_a_rejected_version_is_removed(ada, user, competition):
    rejected = submit(user, competition, "Rita", State.REJECTED)

    assert ada.delete(f"submissions/{rejected.pk}").status_code == 204
    assert ada.delete(f"submissions/{rejected.pk}").status_code == 204
    assert Submission.objects.get().state == State.REMOVED


@pytest.mark.parametrize(
    ("versions", "limit"), [(30, 20), pytest.param(1000, 60, marks=pytest.mark.exhaustive)]
)
def test_an_agent_that_submits_very_many_versions_is_asked_to_wait_and_disturbs_nobody(
    ada, competition, settings, versions, limit
):
    """Its versions are built as soon as they arrive, so only the limits stand against it."""
    settings.AGON_SUBMISSIONS_PER_HOUR = limit
    before = set(in_storage())
    answers = []
    for number in range(versions):
        answers.append(ada.submit(PROGRAM + str(number).encode()))
        Submission.objects.filter(state=State.RECEIVED).update(state=State.REJECTED)
    entered = [answer for answer in answers if answer.status_code == 201]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert (len(entered), len(entered) + len(refused)) == (limit, versions)
    assert {answer.json()["code"] for answer in refused} <= {"quota", "too_many_requests"}
    assert all(1 <= int(answer["Retry-After"]) <= 3600 for answer in refused)

    submissions = Submission.objects.order_by("number")
    assert [submission.number for submission in submissions] == list(range(1, len(entered) + 1))
    assert sorted(set(in_storage()) - before) == sorted(submission.source.name for submission in submissions)
    bob = Program(User.objects.create_user("bob"))
    assert bob.submit(bot="Bob").status_code == 201
    assert ada.get("me/quota").status_code == 200
