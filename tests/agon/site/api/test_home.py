"""The line of a bot at home: each answer is taken once."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from agon.site.bots import at_home
from agon.site.competitions.models import Competition
from agon.site.matches import home_asks, leases
from agon.site.matches.home_asks import NotTaken
from agon.site.matches.models import HomeAsk, Match
from agon.site.matches.states import State
from agon.site.tokens import services as tokens
from agon.site.web.core import body_limit
from tests.support.at_home import HOME, bea, bob, connect, hal, homer, playing, program, put, rps, seat_of
from tests.support.at_once import outcomes_at_once

__all__ = ["bea", "bob", "hal", "homer", "program", "rps"]
pytestmark = pytest.mark.django_db


def test_an_answer_is_taken_once_and_what_comes_too_late_or_for_another_seat_is_refused(
    program, user, homer, hal
):
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    ask = home_asks.put(match, seat, 0, b"first", 1.0)
    [asked] = program.get(f"home-bots/{homer.pk}/asks?line={line}").json()["asks"]
    place = {"line": line, "match": match.pk, "attempt": 1, "seat": seat, "step": 0}
    assert asked == {name: place[name] for name in ("match", "attempt", "seat", "step")} | {
        "text": "first",
        "limit_s": 1.0,
    }

    def answer(**changes):
        response = put(program, homer, **(place | {"text": "R"} | changes))
        return response.status_code, response.json()

    assert answer(step=1)[0] == 409
    assert "has not been asked" in answer(step=1)[1]["detail"]
    assert answer(seat=1 - seat)[0] == answer(match=match.pk + 999)[0] == 404
    assert answer(text="R\nP")[1]["errors"][0]["pointer"] == "/text"
    assert answer(text="x" * 70_000)[0] == 422
    assert answer(match=10**40)[0] == 404
    assert answer(text="a\0b")[0] == 400
    assert answer() == (200, {"repeated": False})
    assert answer() == (200, {"repeated": True})
    assert "answered before, otherwise" in answer(text="P")[1]["detail"]
    assert bytes(HomeAsk.objects.get(pk=ask.pk).answer) == b"R"
    nothing = program.get(f"home-bots/{homer.pk}/asks?line={line}")
    assert nothing.json() == {"asks": []}
    assert nothing["RateLimit-Policy"].startswith('"answer";q=2400')  # it is asked many times in a match

    late = home_asks.put(match, seat, 1, b"second", 1.0)
    assert home_asks.close(late)
    status, problem = answer(step=1)
    assert (status, problem["code"]) == (409, "conflict")
    assert problem["detail"] == "Too late: the match has gone on without an answer to step 1."

    home_asks.end(match)
    Match.objects.update(state=State.FINISHED)
    assert answer() == (200, {"repeated": True})  # its sender may still not know
    assert answer(step=7)[1]["detail"] == f"Match {match.pk} is not being played."


def test_a_match_goes_on_though_its_competition_is_closed_and_ends_for_a_token_that_was_revoked(
    program, user, homer, hal
):
    line = connect(program, homer)
    match = playing(user, homer, hal)
    place = {"line": line, "match": match.pk, "attempt": 1, "seat": seat_of(match, homer)}
    home_asks.put(match, place["seat"], 0, b"first", 1.0)
    Competition.objects.update(state=Competition.State.CLOSED)

    assert [ask["text"] for ask in program.get(f"home-bots/{homer.pk}/asks?line={line}").json()["asks"]] == [
        "first"
    ]
    assert put(program, homer, **place, step=0, text="R").status_code == 200

    second = home_asks.put(match, place["seat"], 1, b"second", 1.0)
    tokens.revoke(program.token)
    assert program.get(f"home-bots/{homer.pk}/asks?line={line}").status_code == 401
    assert put(program, homer, **place, step=1, text="P").status_code == 401
    assert HomeAsk.objects.get(pk=second.pk).answer is None


def test_an_answer_to_an_earlier_attempt_is_refused(program, user, homer, hal):
    """The worker died, and the match was begun again with another seed: nothing of the first one counts."""
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    home_asks.put(match, seat, 0, b"first", 1.0)
    Match.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    place = {"line": line, "match": match.pk, "seat": seat, "step": 0, "text": "R"}

    def refused():
        response = put(program, homer, attempt=1, **place)
        return response.status_code, response.json()["code"], "begun again" in response.json()["detail"]

    assert leases.give_back_expired() == 1
    assert refused() == (409, "begun_again", True)  # though no worker has it yet
    again = leases.claim("w2", HOME)
    assert (again, again.attempt) == (match, 2)
    home_asks.put(again, seat, 0, b"first of the second", 1.0)

    [asked] = program.get(f"home-bots/{homer.pk}/asks?line={line}").json()["asks"]
    assert (asked["attempt"], asked["text"]) == (2, "first of the second")
    assert refused() == (409, "begun_again", True)
    assert put(program, homer, attempt=2, **place).json() == {"repeated": False}
    Match.objects.update(state=State.VOID)
    assert (
        put(program, homer, attempt=1, **place).json()["detail"] == f"Match {match.pk} is not being played."
    )


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_of_answers_that_come_at_once_one_is_taken_and_the_worker_gives_up_only_without_one(user, homer, hal):
    at_home.take_over(homer.pk, no_clock=False)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    for step in range(4):
        ask = home_asks.put(match, seat, step, b"ask", 1.0)
        place = home_asks.Place(match.pk, 1, seat, step)
        acts = [partial(home_asks.take, homer.line, place, text) for text in (b"R", b"R", b"P", b"P")]
        outcomes = outcomes_at_once([*acts, partial(home_asks.close, ask)])
        ask.refresh_from_db()
        assert all(isinstance(outcome, bool | NotTaken) for outcome in outcomes), outcomes
        assert outcomes.count(True) == 1  # taken, or closed
        assert (ask.state == "answered") == (ask.answer is not None)


def test_the_newer_of_two_connections_takes_over_and_the_former_is_told(program, user, homer, hal):
    first = connect(program, homer)
    match = playing(user, homer, hal)
    home_asks.put(match, seat_of(match, homer), 0, b"first", 1.0)
    second = connect(program, homer)
    place = {"match": match.pk, "attempt": 1, "seat": seat_of(match, homer), "step": 0, "text": "R"}

    for answer in (
        program.get(f"home-bots/{homer.pk}/asks?line={first}"),
        put(program, homer, line=first, **place),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "taken_over")
    assert len(program.get(f"home-bots/{homer.pk}/asks?line={second}").json()["asks"]) == 1
    assert put(program, homer, line=second, **place).json() == {"repeated": False}
    assert program.delete(f"home-bots/{homer.pk}/line?line={first}").status_code == 204  # changes nothing
    assert program.get(f"home-bots/{homer.pk}/asks?line={second}").status_code == 200


def test_a_bot_that_was_started_anew_is_told_the_match_so_far(program, user, homer, hal):
    line = connect(program, homer)
    match = playing(user, homer, hal)
    seat = seat_of(match, homer)
    for step in range(3):
        home_asks.put(match, seat, step, b"ask %d" % step, 1.0)
        if step < 2:
            place = {"line": line, "match": match.pk, "attempt": 1, "seat": seat, "step": step}
            assert put(program, homer, **place, text=f"answer {step}").status_code == 200
    told = program.get(f"home-bots/{homer.pk}/asks/{match.pk}?seat={seat}").json()["asks"]
    assert [(question["step"], question["text"], question["answer"]) for question in told] == [
        (0, "ask 0", "answer 0"),
        (1, "ask 1", "answer 1"),
    ]


def test_a_hundred_megabytes_are_refused_before_they_are_read():
    read = []

    async def receive():
        read.append(1 << 20)
        return {"type": "http.request", "body": b"x" * (1 << 20), "more_body": True}

    said = []

    async def send(message):
        said.append(message)

    async def account(scope):
        return "1"

    async def never(scope, receive, send):
        raise AssertionError("no view sees it")

    visitor = body_limit.Visitor(lambda scope: "1.2.3.4", account)
    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/api/v1/home-bots/7/answers",
        "headers": [(b"content-length", b"104857600")],
    }
    asyncio.run(body_limit.limited(never, visitor)(scope, receive, send))
    assert said[0]["status"] == 413
    assert b"at most 400 KiB" in said[1]["body"]
    assert sum(read) <= 2 << 20
