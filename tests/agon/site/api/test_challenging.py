"""`agon challenge`, in a process of its own, the site in this one."""

import json
import threading
import time

import pytest
from django.db import connection

from agon.site.accounts.models import User
from agon.site.challenges.models import Challenge
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from tests.support.factories import activate, duel

pytestmark = pytest.mark.django_db(transaction=True)
DONE, FAILED, USAGE, _, REFUSED, _ = range(6)


@pytest.fixture
def rivals(user) -> Competition:
    """A competition of a game of two seats, with a bot of ada's and two of bob's."""
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    activate(user, rps, ["Ada"])
    activate(User.objects.create_user("bob"), rps, ["Bea", "Ben"])
    return rps


def test_a_challenge_names_bots_as_people_do(signed_in, rivals):
    result = signed_in("challenge", "Ada", "Bea", "--matches", 3)
    assert result.code == DONE, result.err
    assert result.out.startswith(f"challenge {Challenge.objects.get().pk}: running, 0 of 4 played")
    numbers = dict(rivals.bots.values_list("name", "pk"))
    again = signed_in("challenge", numbers["Ada"], numbers["Ben"], "--json")
    assert json.loads(again.out)["matches"] == 20


@pytest.mark.parametrize(("best", "code"), [("Ada", DONE), ("Bea", FAILED), (None, DONE)])
def test_waiting_for_a_challenge_ends_with_1_if_the_bot_is_worse(signed_in, rivals, monkeypatch, best, code):
    monkeypatch.setattr(queueing, "PAUSE_ON_DEMAND", 0)
    worker = threading.Thread(target=_play, args=[8, [best, *{"Ada", "Bea"} - {best}] if best else []])
    worker.start()
    result = signed_in("challenge", "Ada", "Bea", "--matches", 8, "--wait", "--json")
    worker.join()
    data = json.loads(result.out)
    assert (result.code, data["state"], data["played"]) == (code, "finished", 8)


def _play(matches: int, strengths: list[str]) -> None:
    """Play so many matches, as a worker does, as soon as they are queued."""
    try:
        until = time.monotonic() + 60
        while matches and time.monotonic() < until:
            match = leases.claim("w")
            if match is not None:
                assert leases.finish(match, duel(match, strengths))
                matches -= 1
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("Ada", "Nobody"), USAGE, "there is no bot Nobody in rps"),
        (("Nobody", "Bea"), USAGE, "there is no bot Nobody in any competition"),
        (("Ada", "Bea", "--competition", "chess"), USAGE, "there is no bot Ada in chess"),
        (("Ada", "Bea", "Ben"), REFUSED, "Choose at most 1 opponents"),
        (("Ada", "Ada"), REFUSED, "Choose each bot once"),
        (("Ada", "Bea", "--matches", 1000), USAGE, "matches"),
        (("Ada",), USAGE, "OPPONENT"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused_in_words(signed_in, rivals, arguments, code, says):
    result = signed_in("challenge", *arguments)
    assert (result.code, says in result.err) == (code, True), result.err
    assert not Challenge.objects.exists()
