"""Answers that are sent later: feeds that stay open, and requests that wait for a submission."""

import asyncio
import json
import random
import threading
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.api import streaming, waiting
from agon.site.bots import states
from agon.site.bots.models import Submission
from agon.site.challenges import progress, services
from agon.site.competitions.models import Competition
from agon.site.events import feed
from agon.site.events.models import Kind
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tokens import services as tokens
from agon.site.tokens.models import Token
from tests.support.factories import activate, duel

pytestmark = pytest.mark.django_db(transaction=True)
JSON_LINES, SERVER_SENT = "application/x-ndjson", "text/event-stream"


async def in_thread(function, *args: Any) -> Any:
    """As another process would do it: with a connection of its own."""

    def run() -> Any:
        try:
            return function(*args)
        finally:
            connections.close_all()

    return await sync_to_async(run, thread_sensitive=False)()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run it, and close the connection of the thread in which its views ran."""

    async def inner() -> Any:
        try:
            return await coroutine
        finally:
            await sync_to_async(connections.close_all)()

    return asyncio.run(inner())


async def lines(accept: str, since: int = 0) -> AsyncIterator[str]:
    """The lines of the feed of samurai; it is left when the iterator is closed."""
    path = f"/api/v1/competitions/samurai/events?since={since}"
    response = await AsyncClient().get(path, headers={"accept": accept})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == accept
    async for piece in response.streaming_content:
        for line in piece.decode().splitlines():
            yield line


def add(competition: int, version: int) -> None:
    feed.add(Kind.LEADERBOARD_CHANGED, competition, version=version)


def test_a_stream_begins_with_what_is_stored_and_goes_on(competition):
    async def follow() -> list[int]:
        seen: list[int] = []
        reader = lines(JSON_LINES)
        async for line in reader:
            if line:
                seen.append(json.loads(line)["data"]["version"])
                await in_thread(add, competition.pk, seen[-1] + 1)
            if len(seen) == 4:
                break
        await reader.aclose()
        return seen

    add(competition.pk, 0)
    assert run(follow()) == [0, 1, 2, 3]
    assert not streaming._watches


def test_server_sent_events_have_ids_to_go_on_from(competition):
    async def follow() -> list[str]:
        reader = lines(SERVER_SENT)
        fields: list[str] = []
        async for line in reader:
            if line and not line.startswith(":"):
                fields.append(line)
            if len(fields) == 3:
                break
        await reader.aclose()
        return fields

    add(competition.pk, 7)
    number, kind, data = run(follow())
    assert kind == "event: leaderboard.changed"
    assert data.startswith("data: ")
    assert number == f"id: {json.loads(data.removeprefix('data: '))['id']}"


def revoke(token):
    tokens.revoke(token)


def deactivate(token):
    User.objects.filter(pk=token.owner_id).update(is_active=False)


def expire(token):
    Token.objects.filter(pk=token.pk).update(expires=timezone.now())


@pytest.mark.parametrize("end", [revoke, deactivate, expire])
def test_a_stream_ends_with_its_token_and_that_of_another_goes_on(user, competition, monkeypatch, end):
    monkeypatch.setattr(streaming, "TOKENS_SECONDS", 0.1)
    made = tokens.issue(user, "watcher", ["read"])
    kept = tokens.issue(User.objects.create_user("rival"), "watcher", ["read"])

    async def follow(text: str) -> AsyncIterator[bytes]:
        headers = {"accept": JSON_LINES, "authorization": f"Bearer {text}"}
        response = await AsyncClient().get("/api/v1/me/events", headers=headers)
        assert response.status_code == 200
        return aiter(response.streaming_content)

    async def both() -> None:
        ending, going_on = await follow(made[1]), await follow(kept[1])
        assert await anext(ending) == await anext(going_on) == b"\n"
        waiting_on = asyncio.create_task(anext(going_on))
        await in_thread(end, made[0])
        with pytest.raises(StopAsyncIteration):
            await anext(ending)
        assert not waiting_on.done()
        await in_thread(partial(feed.add, Kind.WEBHOOK_OFF, account=kept[0].owner_id))
        assert json.loads(await waiting_on)["type"] == Kind.WEBHOOK_OFF
        await going_on.aclose()

    run(both())


@pytest.mark.parametrize(
    ("setting", "status", "code"),
    [("AGON_STREAMS_PER_ADDRESS", 429, "too_many_requests"), ("AGON_STREAMS", 503, "unavailable")],
)
def test_one_reader_too_many_is_told_when_to_come_again(competition, settings, setting, status, code):
    setattr(settings, setting, 2)
    path, headers = "/api/v1/competitions/samurai/events?since=0", {"accept": SERVER_SENT}

    async def follow() -> tuple[Any, int]:
        readers = [lines(SERVER_SENT) for _ in range(2)]
        for reader in readers:
            await anext(reader)
        refused = await AsyncClient().get(path, headers=headers)
        polled = await AsyncClient().get(path)
        for reader in readers:
            await reader.aclose()
        return refused, polled.status_code

    refused, polled = run(follow())
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert int(refused.headers["Retry-After"]) > 0
    assert polled == 200  # who asks again and again is served


@pytest.mark.production
def test_a_reader_that_is_cut_off_at_any_time_ends_with_the_same_events(competition, monkeypatch):
    """Events are added all the time, and the reader loses its connection after every few of them."""
    monkeypatch.setattr(streaming, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(streaming, "RECENT", 5)
    monkeypatch.setattr(streaming, "AT_ONCE", 3)
    count, dice = 120, random.Random(38)

    def write() -> None:
        try:
            for version in range(count):
                add(competition.pk, version)
        finally:
            connections.close_all()

    async def follow() -> tuple[list[int], int]:
        seen: list[int] = []
        since, cuts = 0, 0
        while len(seen) < count:
            reader, left = lines(JSON_LINES, since), dice.randint(1, 4)
            async for line in reader:
                if line:
                    event = json.loads(line)
                    seen.append(event["data"]["version"])
                    since, left = event["id"], left - 1
                if not left or len(seen) == count:
                    break
            await reader.aclose()
            cuts += 1
        return seen, cuts

    writer = threading.Thread(target=write)
    writer.start()
    seen, cuts = run(follow())
    writer.join()
    assert seen == list(range(count))
    assert cuts > count / 5


def test_a_submission_is_waited_for_until_its_state_changes(ada, competition, monkeypatch):
    monkeypatch.setattr(waiting, "POLL_SECONDS", 0.02)
    number = ada.submit().json()["id"]

    async def wait() -> dict[str, Any]:
        path = f"/api/v1/submissions/{number}?wait=30"
        response = await AsyncClient().get(path, headers=ada.headers)
        moved = asyncio.create_task(in_thread(lambda: Submission.objects.get().move(states.REJECT)))
        body = b"".join([piece async for piece in response.streaming_content])
        await moved
        return json.loads(body)

    answer = run(wait())
    assert (answer["state"], answer["is_final"]) == ("rejected", True)


def test_a_challenge_is_waited_for_until_it_is_over(monkeypatch, user):
    monkeypatch.setattr(waiting, "POLL_SECONDS", 0.02)
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    own, opponent = activate(user, rps, ["Ada", "Bea"])
    challenge = services.start(user, own.bot, [opponent.bot], 2)

    async def wait() -> dict[str, Any]:
        response = await AsyncClient().get(f"/api/v1/challenges/{challenge.pk}?wait=30")
        ended = asyncio.create_task(in_thread(progress.cancel, challenge))
        body = b"".join([piece async for piece in response.streaming_content])
        await ended
        return json.loads(body)

    assert run(wait())["state"] == "cancelled"
    over = run(AsyncClient().get(f"/api/v1/challenges/{challenge.pk}?wait=30"))
    assert not over.streaming


def test_a_rated_match_is_waited_for(monkeypatch, user):
    monkeypatch.setattr(waiting, "POLL_SECONDS", 0.02)
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    own, opponent = activate(user, rps, ["Ada", "Bea"])
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.BULK, [own, opponent])

    def play() -> None:
        match = leases.claim("w")
        assert match is not None
        assert leases.finish(match, duel(match, ["Ada", "Bea"]))

    async def wait() -> dict[str, Any]:
        response = await AsyncClient().get(f"/api/v1/bots/{own.bot_id}/rungs?wait=30&played=1")
        ended = asyncio.create_task(in_thread(play))
        body = b"".join([piece async for piece in response.streaming_content])
        await ended
        return json.loads(body)

    assert run(wait())["row"]["played"] == 1
    over = run(AsyncClient().get(f"/api/v1/bots/{own.bot_id}/rungs?wait=30"))
    assert not over.streaming


def test_a_wait_ends(ada, competition, monkeypatch):
    monkeypatch.setattr(waiting, "POLL_SECONDS", 0.02)
    number = ada.submit().json()["id"]

    async def wait() -> dict[str, Any]:
        response = await AsyncClient().get(f"/api/v1/submissions/{number}?wait=1", headers=ada.headers)
        return json.loads(b"".join([piece async for piece in response.streaming_content]))

    assert run(wait())["state"] == "received"
    assert not waiting._waiting


def test_one_account_does_not_wait_in_all_places(ada, competition, monkeypatch):
    monkeypatch.setattr(waiting, "OF_ACCOUNT", 0)
    number = ada.submit().json()["id"]

    async def ask() -> Any:
        return await AsyncClient().get(f"/api/v1/submissions/{number}?wait=30", headers=ada.headers)

    response = run(ask())
    assert not response.streaming
    assert response.json()["state"] == "received"
