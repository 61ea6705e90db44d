"""What operators do by program: workers are parked, and matches taken from them."""

import pytest
from django.contrib.auth.models import Permission

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.fleet import parking
from agon.site.fleet.models import OddWorker
from agon.site.matches import leases, queueing
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import State
from tests.agon.site.api.test_access import problem
from tests.support.factories import activate

from .conftest import Program

WHY = {"reason": "a new disk"}


@pytest.fixture
def operator(db) -> Program:
    account = User.objects.create_user("operator")
    account.user_permissions.set(Permission.objects.filter(codename="change_oddworker"))
    return Program(account)


@pytest.fixture
def match(user, competition) -> Match:
    """A match that the worker host:core0 plays."""
    four = activate(user, competition, ["Ann", "Ben", "Cid", "Dot"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    claimed = leases.claim("host:core0:7")
    assert claimed is not None
    return claimed


def test_a_worker_is_parked_once_and_released(operator, match):
    assert operator.get("workers").json()["playing"] == ["host:core0"]
    first = operator.post("workers/park", WHY | {"worker": "host:core0"}).json()
    again = operator.post("workers/park", {"reason": "again", "worker": "host:core0"}).json()

    assert first == again
    assert (first["state"], first["finding"]) == ("parked", "a new disk")
    assert parking.is_parked("host:core0:8")
    assert operator.get("workers").json()["playing"] == []
    assert Act.objects.get(verb=Verb.PARK).reason == "a new disk"
    assert operator.post(f"workers/{first['id']}/release", WHY).json()["state"] == "released"
    assert not parking.is_parked("host:core0:8")


def test_a_worker_that_was_only_reported_is_parked(operator, match, competition):
    OddWorker.objects.create(
        worker="host:core0", competition=competition, found=match.started, state="reported"
    )

    assert operator.post("workers/park", WHY | {"worker": "host:core0"}).json()["state"] == "parked"
    assert OddWorker.objects.count() == 1


@pytest.mark.parametrize("worker", ["host:core1", "host", "host:core0:7", "", "\u202e", "x" * 121])
def test_a_worker_that_there_is_not_is_refused(operator, match, worker):
    problem(operator.post("workers/park", WHY | {"worker": worker}), 422, "invalid")
    assert not OddWorker.objects.exists()


def test_a_match_is_taken_from_its_worker(operator, match):
    seed = match.seed
    data = operator.post(f"matches/{match.pk}/requeue", WHY).json()

    assert data == {"id": match.pk, "state": "queued", "attempt": 1}
    match.refresh_from_db()
    assert match.seed != seed
    assert not leases.renew(Match(pk=match.pk, attempt=1, worker="host:core0:7"))
    assert str(FailedAttempt.objects.get().details) == "a new disk"
    assert Act.objects.get(verb=Verb.REQUEUE).reason == "a new disk"
    assert operator.post(f"matches/{match.pk}/requeue", WHY).json()["state"] == "queued"
    assert FailedAttempt.objects.count() == 1


def test_the_third_time_the_match_is_void(operator, match):
    for attempt in (1, 2, 3):
        Match.objects.filter(pk=match.pk).update(state=State.RUNNING, attempt=attempt)
        data = operator.post(f"matches/{match.pk}/requeue", WHY).json()

    assert data["state"] == "void"
    problem(operator.post(f"matches/{match.pk}/requeue", WHY), 409, "conflict")


def test_a_reason_is_asked_for(operator, match):
    problem(operator.post(f"matches/{match.pk}/requeue", {}), 422, "invalid")
    problem(operator.post(f"matches/{match.pk}/requeue", {"reason": ""}), 422, "invalid")
    assert Match.objects.get(pk=match.pk).state == State.RUNNING


def test_a_token_for_one_competition_operates_nothing_that_concerns_others(operator, match, coup):
    account = operator.token.owner
    odd = operator.post("workers/park", WHY | {"worker": "host:core0"}).json()
    other, own = Program(account, competition=coup), Program(account, competition=match.competition)

    problem(other.post(f"matches/{match.pk}/requeue", WHY), 403, "other_competition")
    problem(own.post(f"workers/{odd['id']}/release", WHY), 403, "other_competition")
    operator.post(f"workers/{odd['id']}/release", WHY)
    problem(own.post("workers/park", WHY | {"worker": "host:core0"}), 403, "other_competition")

    assert not parking.is_parked("host:core0:7")
    assert own.post(f"matches/{match.pk}/requeue", WHY).json()["state"] == "queued"
