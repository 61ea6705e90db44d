"""Challenges by program."""

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.challenges import progress
from agon.site.challenges.models import Challenge
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing, usage
from tests.support.factories import activate, duel

from .conftest import Program

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_pause(monkeypatch) -> None:
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 0)


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def ada(user, rps) -> Bot:
    return activate(user, rps, ["Ada"])[0].bot


@pytest.fixture
def bea(rps) -> Bot:
    return activate(User.objects.create_user("bob"), rps, ["Bea"])[0].bot


@pytest.fixture
def program(user) -> Program:
    return Program(user)


def start(program, bots, matches=4, **headers):
    numbers = [bot if isinstance(bot, int) else bot.pk for bot in bots]
    body = {"bots": numbers, "matches": matches}
    return program.post("competitions/rps/challenges", body, **headers)


def test_a_challenge_is_started_and_read(program, ada, bea):
    made = start(program, [ada, bea])
    assert made.status_code == 201, made.content
    number = made.json()["id"]
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, duel(match, ["Ada", "Bea"]))
    data = Program().get(f"challenges/{number}").json()
    assert (data["name"], data["matches"], data["played"], data["won"]) == ("Ada", 4, 4, 4)
    assert data["share"] == 1
    assert 0.5 < data["low"] < 1 == data["high"]
    assert data["against"] == [
        {"bot": bea.pk, "name": "Bea", "version": 1, "ahead": 4, "equal": 0, "behind": 0}
    ]


def test_lists_are_of_the_account_or_of_a_bot(program, ada, bea):
    number = start(program, [ada, bea]).json()["id"]
    bob = Program(bea.owner)
    assert [item["id"] for item in program.get("challenges").json()["items"]] == [number]
    assert bob.get("challenges").json()["items"] == []
    [theirs] = bob.get(f"challenges?bot={bea.pk}").json()["items"]
    assert (theirs["id"], theirs["against"], theirs["played"]) == (number, ["Bea"], 0)


def test_the_owner_cancels_it_and_again_is_no_error(program, ada, bea):
    number = start(program, [ada, bea]).json()["id"]
    for _ in range(2):
        answer = program.delete(f"challenges/{number}")
        assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert answer.json()["reason"] == "The challenge was cancelled."
    assert Program(bea.owner).delete(f"challenges/{number}").status_code == 403


def test_a_request_with_the_same_key_starts_one(program, ada, bea):
    answers = [start(program, [ada, bea], **{"Idempotency-Key": "k"}).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert Challenge.objects.count() == 1


def test_each_mistake_has_its_place_and_its_sentence(program, rps, ada, bea):
    def problem(bots, matches=4):
        response = start(program, bots, matches)
        data = response.json()
        places = [error.get("pointer") for error in data.get("errors", [])]
        return response.status_code, data["code"], places, data["detail"]

    assert problem([ada, 10**18])[:3] == (422, "invalid", ["/bots/1"])
    assert problem([ada, -(10**30)])[:3] == (422, "invalid", ["/bots/1"])
    assert problem([ada])[:2] == (422, "invalid")
    assert problem([ada, bea], 0)[:3] == (422, "invalid", ["/matches"])
    assert problem([ada, ada]) == (422, "refused", ["/bots"], "Choose each bot once.")
    assert problem([bea, ada])[:2] == (403, "not_allowed")
    for _ in range(3):
        assert start(program, [ada, bea]).status_code == 201
    assert problem([ada, bea])[:2] == (409, "conflict")
    Competition.objects.filter(pk=rps.pk).update(state=Competition.State.CLOSED)
    assert problem([ada, bea])[:2] == (409, "closed")
    assert Challenge.objects.count() == 3


def test_a_token_to_read_starts_nothing(user, ada, bea):
    assert start(Program(user, ("read",)), [ada, bea]).status_code == 403
    assert start(Program(), [ada, bea]).status_code == 401
    elsewhere = Competition.objects.create(slug="other", game="honest_rps", title="Other")
    assert start(Program(user, competition=elsewhere), [ada, bea]).status_code == 403
    assert not Challenge.objects.exists()


def test_the_quota_says_what_is_left_for_challenges(program, ada, bea, settings):
    settings.AGON_AUTHOR_SECONDS = 600
    start(program, [ada, bea])
    usage.charge(ada.pk, 12.34)
    limits = {limit["name"]: limit for limit in program.get("me/quota").json()}

    assert limits["challenges in progress"]["used"] == 1
    assert limits["challenges in progress"]["most"] == 3
    time = limits["worker time before challenges wait"]
    assert (time["used"], time["most"], time["seconds"]) == (12.3, 300, 3600)


def test_a_challenged_owner_finds_the_event_in_the_feed(program, ada, bea):
    number = start(program, [ada, bea]).json()["id"]
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, duel(match, []))
    progress.tick()
    [event] = Program(bea.owner).get("me/events").json()["items"][-1:]

    assert event["type"] == "challenge.over"
    assert event["data"] == {"challenge": number, "bot": bea.pk, "by": ada.pk}
    assert event["links"]["challenge"].endswith(f"/api/v1/challenges/{number}")
