"""Open leaderboard pages hear of every change, and cost nothing once they are closed."""

import asyncio
import threading
import time
import zlib

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connection
from django.test import AsyncClient, Client

from agon.site.leaderboards import ratings
from agon.site.web.leaderboards import stream
from agon.site.web.leaderboards.stream import Shown, events
from tests.support.cpu_load import if_alone

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


def run(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 60))


@sync_to_async
def change(competition):
    ratings.raise_version(competition)
    connection.close()  # of the thread in which this runs


def test_a_page_gets_the_present_version_and_then_each_new_one_within_two_seconds(competition):
    ratings.raise_version(competition)

    async def scenario():
        reader = events(competition.pk)
        first = await anext(reader)
        await change(competition)
        began = time.monotonic()
        second = await anext(reader)
        took = time.monotonic() - began
        await reader.aclose()
        return first, second, took

    first, second, took = run(scenario())
    assert first == b"id: 1\nevent: leaderboard\ndata: 1\n\n"
    assert second == b"id: 2\nevent: leaderboard\ndata: 2\n\n"
    assert took < if_alone(2)


def test_a_competition_without_a_leaderboard_yet_has_version_0(competition):
    async def scenario():
        reader = events(competition.pk)
        first = await anext(reader)
        await reader.aclose()
        return first

    assert run(scenario()).endswith(b"data: 0\n\n")


def test_pages_of_other_competitions_hear_nothing_but_the_heartbeat(competition, coup, monkeypatch):
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 1.0)

    async def scenario():
        reader = events(coup.pk)
        await anext(reader)
        await change(competition)
        heard = await anext(reader)
        await reader.aclose()
        return heard

    assert run(scenario()) == ALIVE


def test_a_hundred_open_pages_are_one_reader_of_the_database(competition, monkeypatch):
    reads = []
    versions = stream._versions
    monkeypatch.setattr(stream, "_versions", lambda: reads.append(1) or versions())

    async def scenario():
        readers = [events(competition.pk) for _ in range(100)]
        await asyncio.gather(*(anext(reader) for reader in readers))
        await change(competition)
        before = len(reads)
        heard = await asyncio.gather(*(anext(reader) for reader in readers))
        for reader in readers:
            await reader.aclose()
        return set(heard), len(reads) - before

    heard, asked = run(scenario())
    assert heard == {b"id: 1\nevent: leaderboard\ndata: 1\n\n"}
    assert asked <= 3


class Boards:
    """Makes boards, and counts them."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, competition_id: int, language: str) -> str:
        self.made.append(language)
        return f"<p>\n{language} {len(self.made)}</p>"


def test_a_board_is_made_once_per_change_and_language_for_a_hundred_open_pages(competition):
    make = Boards()
    shown = [Shown(competition.pk, language, make) for language in ("en", "ja") for _ in range(50)]

    async def scenario():
        readers = [events(competition.pk, board) for board in shown]
        first = await asyncio.gather(*(anext(reader) for reader in readers))
        await change(competition)
        second = await asyncio.gather(*(anext(reader) for reader in readers))
        for reader in readers:
            await reader.aclose()
        return first, second

    first, second = run(scenario())
    assert len(set(first[:50])) == len(set(first[50:])) == len(set(second[:50])) == len(set(second[50:])) == 1
    assert first[0].startswith(b"id: 0\nevent: board\ndata: <p>\ndata: en ")
    assert second[50].startswith(b"id: 1\nevent: board\ndata: <p>\ndata: ja ")
    assert sorted(make.made) == ["en", "en", "ja", "ja"]


def test_a_page_whose_board_cannot_be_made_is_told_to_ask_for_it(competition, caplog):
    def fail(competition_id, language):
        raise OperationalError("gone")

    async def scenario():
        reader = events(competition.pk, Shown(competition.pk, "en", fail))
        heard = await anext(reader)
        await reader.aclose()
        return heard

    assert run(scenario()) == b"id: 0\nevent: leaderboard\ndata: 0\n\n"
    assert "could not be made" in caplog.text


@pytest.mark.parametrize("accepted", ["gzip, br", ""])
def test_a_page_gets_the_part_that_it_would_ask_for_while_there_are_no_bots(competition, accepted):
    headers = {"accept-encoding": accepted, "accept-language": "ja"}
    part = Client().get(f"{competition.get_absolute_url()}?part=board", headers={"accept-language": "ja"})

    async def scenario():
        address = f"{competition.get_absolute_url()}events/?board=1"
        response = await AsyncClient().get(address, headers=headers)
        parts = aiter(response.streaming_content)
        sent = await anext(parts)
        await change(competition)
        sent += await anext(parts)
        await parts.aclose()
        return response, sent

    response, sent = run(scenario())
    assert response.headers.get("Content-Encoding", "") == ("gzip" if accepted else "")
    text = zlib.decompressobj(31).decompress(sent) if accepted else sent
    lines = "".join(f"data: {line}\n" for line in part.text.split("\n"))
    assert text.decode() == f"id: 0\nevent: board\n{lines}\nid: 1\nevent: board\n{lines}\n"


def test_when_the_last_page_is_closed_nothing_is_read_any_more(competition):
    async def scenario():
        before = asyncio.all_tasks()
        reader = events(competition.pk)
        await anext(reader)
        waiting = asyncio.create_task(anext(reader))
        await asyncio.sleep(0)
        waiting.cancel()  # what the server does when the browser goes away
        await asyncio.gather(waiting, return_exceptions=True)
        await reader.aclose()
        return asyncio.all_tasks() - before

    assert run(scenario()) == set()
    assert not stream._watches


ALIVE = b"event: alive\ndata: alive\n\n"
BROKEN = b"event: broken\ndata: broken\n\n"
FAILURES = [
    OperationalError("gone"),
    InterfaceError("connection already closed"),
    RuntimeError("can't start new thread"),
    MemoryError(),
]


class Reads:
    """Stands in for reading the versions: gives each of the answers once, and the last one from then on."""

    def __init__(self, monkeypatch, *answers) -> None:
        self.answers = list(answers)
        monkeypatch.setattr(stream, "_versions", self)

    def __call__(self):
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize("failure", FAILURES, ids=repr)
def test_what_fails_for_a_moment_is_tried_again_and_logged(competition, monkeypatch, caplog, failure):
    Reads(monkeypatch, failure, {competition.pk: 5})

    async def scenario():
        reader = events(competition.pk)
        first = await anext(reader)
        await reader.aclose()
        return first

    assert run(scenario()).endswith(b"data: 5\n\n")
    assert "versions could not be read" in caplog.text
    assert type(failure).__name__ in caplog.text


@pytest.mark.parametrize("failure", FAILURES, ids=repr)
def test_a_page_is_told_when_what_it_follows_cannot_be_read_any_more(competition, monkeypatch, failure):
    monkeypatch.setattr(stream, "BROKEN_SECONDS", 1.0)
    reads = Reads(monkeypatch, {competition.pk: 5})

    async def scenario():
        readers = [events(competition.pk) for _ in range(3)]
        for reader in readers:
            assert (await anext(reader)).endswith(b"data: 5\n\n")
        reads.answers = [failure]
        return await asyncio.gather(*(heard_to_the_end(reader) for reader in readers))

    assert run(scenario()) == [[BROKEN]] * 3
    assert not stream._watches


def test_a_page_opened_while_nothing_can_be_read_is_told_soon_and_a_later_one_follows(
    competition, monkeypatch
):
    monkeypatch.setattr(stream, "BROKEN_SECONDS", 1.0)
    reads = Reads(monkeypatch, RuntimeError("broken"))

    async def scenario():
        assert await heard_to_the_end(events(competition.pk)) == [BROKEN]
        reads.answers = [{competition.pk: 6}]
        reader = events(competition.pk)
        first = await anext(reader)
        await reader.aclose()
        return first

    assert run(scenario()).endswith(b"data: 6\n\n")


@pytest.mark.parametrize("hangs", ["versions", "board"])
def test_a_query_that_does_not_end_is_noticed_and_stops_no_other_request(competition, monkeypatch, hangs):
    monkeypatch.setattr(stream, "BROKEN_SECONDS", 0.5)
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.2)
    answered = threading.Event()
    if hangs == "versions":
        monkeypatch.setattr(stream, "_versions", lambda: answered.wait(60) and {})
    shown = Shown(competition.pk, "en", lambda *_: str(answered.wait(60))) if hangs == "board" else None

    async def scenario():
        heard = await heard_to_the_end(events(competition.pk, shown))
        return set(heard[:-1]), heard[-1], answered.is_set()

    try:
        assert run(scenario()) == ({ALIVE}, BROKEN, False)
    finally:
        answered.set()


def test_a_server_that_was_held_up_for_a_while_ends_no_stream(competition, monkeypatch):
    """All pages would come back at once, to a server that has just had too little time."""
    monkeypatch.setattr(stream, "BROKEN_SECONDS", 0.4)
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.3)
    Reads(monkeypatch, {competition.pk: 5})

    async def scenario():
        readers = [events(competition.pk) for _ in range(20)]
        for reader in readers:
            assert (await anext(reader)).endswith(b"data: 5\n\n")
        heard = set()
        for _ in range(5):
            waiting = [asyncio.ensure_future(anext(reader)) for reader in readers]
            await asyncio.sleep(0.05)
            time.sleep(1)  # so it is for the event loop when the machine has no time for it
            heard |= set(await asyncio.gather(*waiting))
        for reader in readers:
            await reader.aclose()
        return heard

    assert run(scenario()) == {ALIVE}


async def heard_to_the_end(reader):
    return [part async for part in reader]
