"""Webhooks by program."""

import pytest

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.events import feed
from agon.site.events.models import Kind
from agon.site.tokens.models import Scope
from agon.site.workers import outgoing
from tests.support.receivers import receiving

from .conftest import Program

pytestmark = [pytest.mark.django_db, pytest.mark.production]
URL = "https://example.org/agon"


def test_a_webhook_is_made_used_and_deleted_by_a_program(ada, user, competition, settings):
    settings.AGON_LOCAL_HOOKS = True
    with receiving(500) as [receiver]:
        made = ada.post("webhooks", {"url": receiver.url})
        assert made.status_code == 201
        number = made.json()["id"]
        assert made.json()["secret"].startswith("whsec_")
        assert "secret" not in ada.get(f"webhooks/{number}").json()
        feed.add(Kind.BOT_STOPPED, competition.pk, user.pk, bot=1)
        outgoing.send()
        [delivery] = ada.get(f"webhooks/{number}/deliveries").json()["items"]
        assert (delivery["outcome"], delivery["status"], delivery["tries"]) == ("status", 500, 1)
        [hook] = ada.get("webhooks").json()
        assert hook["failing"] is not None

        receiver.status = 200
        again = ada.post(f"webhooks/{number}/deliveries/{delivery['event']}/again")
        assert again.json()["waits_again"]
        outgoing.send()
        assert receiver.taken == [delivery["event"]]
        [delivery] = ada.get(f"webhooks/{number}/deliveries").json()["items"]
        assert (delivery["outcome"], delivery["tries"]) == ("delivered", 2)
        assert ada.delete(f"webhooks/{number}").status_code == 204
    assert ada.get("webhooks").json() == []


def test_a_repeated_request_makes_one_webhook_with_one_secret(ada):
    key = {"Idempotency-Key": "k1"}
    first, second = (ada.post("webhooks", {"url": URL}, **key).json() for _ in range(2))

    assert first["secret"] == second["secret"]
    assert len(ada.get("webhooks").json()) == 1


@pytest.mark.parametrize("url", ["http://example.org/", "https://192.168.0.1/", "https://[::1]/", ""])
def test_an_address_that_is_refused_is_a_problem_that_names_the_field(ada, url):
    response = ada.post("webhooks", {"url": url})

    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, "/url")


def test_a_token_for_one_competition_gets_no_feed_of_others(competition, coup):
    organizer = User.objects.create_superuser("orga")
    limited = Program(organizer, competition=competition)

    assert limited.post("webhooks", {"url": URL}).json()["code"] == "other_competition"
    assert limited.post("webhooks", {"url": URL, "competition": "coup"}).json()["code"] == "other_competition"
    assert limited.post("webhooks", {"url": URL, "competition": "samurai"}).status_code == 201


def test_a_token_that_may_read_changes_nothing(user):
    reader = Program(user, scopes=(Scope.READ,))

    assert reader.post("webhooks", {"url": URL}).json()["code"] == "scope_missing"
    assert reader.get("webhooks").json() == []


def test_a_feed_of_a_competition_is_for_organizers(ada, competition: Competition):
    response = ada.post("webhooks", {"url": URL, "competition": "samurai"})

    assert (response.status_code, response.json()["code"]) == (403, "not_allowed")
    assert ada.post("webhooks", {"url": URL, "competition": "samurei"}).status_code == 404


@pytest.mark.parametrize("number", [0, -1, 10**30])
def test_an_event_that_was_not_sent_is_not_found(ada, number):
    made = ada.post("webhooks", {"url": URL}).json()

    assert ada.post(f"webhooks/{made['id']}/deliveries/{number}/again").status_code == 404
