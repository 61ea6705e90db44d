"""A program that tries programs: the API's trials, the client's, and `agon try`."""

import contextlib
import json
import subprocess
import sys
from typing import Any

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.tokens import services as tokens
from agon.site.trials.models import Trial
from agon.site.workers import tasks
from tests.agon.site.api.conftest import ALL, Program
from tests.agon.site.api.test_access import problem
from tests.support.factories import submit

from .conftest import PROGRAM

CRASHING = "def bot(their_past, my_past, their_claim, my_claim):\n    return their_past[0]\n"


@pytest.fixture
def ada(user: User) -> Program:
    return Program(user)


def attempt(program: Program, **changes: Any):
    body = {"text": PROGRAM, "language": "python", "opponent": "Fibber"} | changes
    return program.post("competitions/rps/trials", body)


def test_the_opponents_are_listed_the_weakest_first(ada, house):
    data = Program().get("competitions/rps/opponents").json()

    assert [opponent["name"] for opponent in data] == ["Fibber", "Dice"]
    assert [submission["submission"] for submission in data] == [submission.pk for submission in house]
    assert sum(opponent["first"] for opponent in data) == 1


@pytest.mark.slow
def test_a_program_tries_a_program_and_reads_the_result(ada, playing):
    made = attempt(ada)
    assert made.status_code == 201
    trial = made.json()
    assert (trial["state"], trial["is_final"], trial["won"]) == ("queued", False, None)
    assert trial["place"]["ahead"] == 0
    assert ada.get(f"trials/{trial['id']}/log").status_code == 404
    tasks.try_programs("interactive")

    data = ada.get(f"trials/{trial['id']}").json()
    assert (data["state"], data["is_final"], data["won"]) == ("finished", True, True)
    assert [(place["rank"], place["own"]) for place in data["places"]] == [(1, True), (2, False)]
    log = ada.get(f"trials/{trial['id']}/log").json()
    assert [seat["name"] for seat in log["seats"]] == ["Your program", "Fibber"]


@pytest.mark.slow
def test_a_fault_is_told_with_its_line_and_what_was_printed(ada, playing):
    made = attempt(ada, text=CRASHING).json()
    tasks.try_programs("interactive")

    data = ada.get(f"trials/{made['id']}").json()
    assert data["fault"]["kind"] == "crash"
    assert data["line"] == 2
    assert "no element" in data["advice"]
    assert "Traceback" in data["stderr"]


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        ({"language": "klingon"}, "invalid", "/language"),
        ({"opponent": "Fibbber"}, "invalid", "/opponent"),
        ({"text": " \n"}, "invalid", "/text"),
        ({"text": "x" * 70_000}, "refused", "/text"),
        ({"bot": 10**9}, "invalid", "/bot"),
        ({"bot": 2**70}, "invalid", "/bot"),
        ({"extra": 1}, "invalid", "/extra"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_queued(ada, house, changes, code, place):
    refusal = problem(attempt(ada, **changes), 422, code)

    assert [error.get("pointer", error.get("parameter")) for error in refusal["errors"]] == [place]
    assert not Trial.objects.exists()


def test_a_closed_competition_says_so(ada, house, rps):
    Competition.objects.update(state=Competition.State.CLOSED)

    assert "is closed" in problem(attempt(ada), 409, "closed")["detail"]


def test_the_quota_has_the_time_for_trials_of_the_account_and_of_its_network(ada, house, settings):
    settings.AGON_TRIAL_SECONDS, settings.AGON_TRIAL_NETWORK_SECONDS = 300, 900
    bob = Program(User.objects.create_user("bob"))
    for program, seconds in ((ada, 12.34), (bob, 50.0)):
        made = attempt(program).json()
        Trial.objects.filter(token=made["id"]).update(state="finished", used=seconds)
    limits = {limit.pop("name"): limit for limit in ada.get("me/quota").json()}

    hour = {"unit": "seconds", "seconds": 3600}
    assert limits["worker time of trials"] == {"used": 12.3, "most": 300} | hour
    assert limits["worker time of trials of your network"] == {"used": 62.3, "most": 900} | hour


def test_the_hours_limit_says_when_to_try_again(ada, house, settings):
    settings.AGON_TRIAL_SECONDS = 0
    response = attempt(ada)

    problem(response, 429, "quota")
    assert int(response.headers["Retry-After"]) > 0


def test_a_trial_belongs_to_one_of_ones_own_bots_only(ada, house, rps, user):
    own = submit(user, rps, "Rita").bot
    theirs = submit(User.objects.create_user("eve"), rps, "Eve").bot
    assert attempt(ada, bot=own.pk).json()["bot"] == own.pk
    problem(attempt(ada, bot=theirs.pk), 422, "invalid")
    problem(attempt(ada, bot=Bot.objects.filter(house=True)[0].pk), 422, "invalid")


def test_a_new_trial_replaces_one_that_waits(ada, house):
    first, second = attempt(ada).json(), attempt(ada).json()

    assert Trial.objects.get().token == second["id"]
    problem(ada.get(f"trials/{first['id']}"), 404, "not_found")


def test_a_trial_of_another_account_cannot_be_read(ada, house):
    made = attempt(ada).json()
    eve = Program(User.objects.create_user("eve"))

    for path in (f"trials/{made['id']}", f"trials/{made['id']}/log", "trials/x%00", "trials/%0a"):
        assert eve.get(path).status_code in (404, 400), path


@pytest.fixture
def tries(live_server, user, tmp_path):
    """tries(*arguments): runs `agon try` while this process is the worker; its exit code, stdout, stderr."""
    token = tokens.issue(user, "laptop", ALL)[1]
    environment = {"HOME": str(tmp_path), "AGON_SITE": live_server.url, "AGON_TOKEN": token}

    def run(*arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "agon", "try", "rps", *arguments]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while process.poll() is None:
            tasks.try_programs("interactive")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        out, err = process.communicate()
        return process.returncode, out, err

    return run


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_command_line_tries_a_program(tries, playing, tmp_path):
    (tmp_path / "good.py").write_text(PROGRAM)
    (tmp_path / "bad.py").write_text(CRASHING)
    (tmp_path / "what.xyz").write_text(PROGRAM)

    code, out, err = tries("good.py", "--against", "Fibber")
    assert code == 0, out + err
    assert "1. Your program (yours): " in out
    code, out, err = tries("bad.py", "--against", "Fibber", "--json")
    assert code == 1, err
    assert json.loads(out)["fault"]["kind"] == "crash"
    code, out, err = tries("what.xyz")
    assert code == 2
    assert "cannot tell its language" in err
