"""Readers who take their time, or listen without end, hold no connection to the database: there are few."""

import asyncio
import gc
import logging
import threading

import pytest
from django.db.backends.signals import connection_created

from agon.site.asgi import application
from agon.site.leaderboards.models import Leaderboard
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.web.core.concurrency import AT_ONCE, OF_ADDRESS
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SERVER_SENT = [(b"accept", b"text/event-stream")]


@pytest.fixture
def opened():
    """The connections that are opened in the course of a test, in any thread."""
    wrappers = []

    def note(connection, **_):
        wrappers.append(connection)

    connection_created.connect(note)
    yield wrappers
    connection_created.disconnect(note)


def held_by_a_reader(address, opened):
    """How many connections are open when the first bytes are sent; and the status of the answer."""
    [seen] = asyncio.run(asyncio.wait_for(together([address], opened), 60))
    return seen["held"], seen["status"]


async def together(addresses, opened):
    return await asyncio.gather(*(read(address, opened) for address in addresses))


async def read(address, opened, visitor="127.0.0.1", headers=(), gone=None):
    """Ask for a page, and leave when it begins to arrive, or when `gone` is set."""
    seen, asked = {}, []
    gone = gone or asyncio.Event()

    async def send(message):
        if message["type"] == "http.response.start":
            seen["status"] = message["status"]
        elif "held" not in seen:
            seen["held"] = sum(opened_connection.connection is not None for opened_connection in opened)
            gone.set()

    async def receive():
        if not asked:
            asked.append(True)
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    await application(scope_of(address, visitor, headers), receive, send)
    return seen


def scope_of(address, visitor, headers=()):
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": address,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), *headers],
        "client": (visitor, 1),
        "server": ("127.0.0.1", 80),
    }


@pytest.fixture
def match(user, competition):
    queueing.queue(
        competition, Match.Kind.LADDER, Match.Queue.BULK, activate(user, competition, ["A", "B", "C", "D"])
    )
    match = leases.claim("w")
    leases.finish(match, played(match))
    return match


@pytest.mark.parametrize("place", ["", "record.json", "log.json", "archive", "stderr/0"])
def test_a_reader_of_a_match(match, opened, place):
    held, status = held_by_a_reader(f"/matches/{match.pk}/{place}", opened)
    assert (held, status) == (0, 404 if place == "stderr/0" else 200)
    assert opened


def test_a_listener_to_a_leaderboard_except_the_one_that_listens_for_all(competition, opened):
    assert held_by_a_reader("/c/samurai/events/", opened) == (1, 200)
    assert len(opened) > 1


# Django leaves the body of a request that is ended so to the garbage collector.
@pytest.mark.filterwarnings("ignore:.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning")
def test_a_listener_whose_server_is_stopped_is_no_error_in_the_log(competition, caplog):
    asyncio.run(asyncio.wait_for(cut_off("/c/samurai/events/"), 60))
    gc.collect()  # asyncio logs the errors that no one has asked for

    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def listen(address, reader, begin, left):
    """Read a stream: `begin` is called when a part of it arrives; the reader goes when `left` is set."""
    asked = []

    async def send(message):
        if message["type"] == "http.response.body":
            begin()

    async def receive():
        if not asked:
            asked.append(True)
            return {"type": "http.request", "body": b"", "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    await application(scope_of(address, reader, SERVER_SENT), receive, send)


async def cut_off(address):
    """Listen, until the server ends what it does for the reader, and closes the connection."""
    listens, closed = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(listen(address, "127.0.0.1", listens.set, closed))
    await listens.wait()
    serving.cancel()
    closed.set()
    await asyncio.wait([serving])


def test_a_crowd_that_comes_at_once_waits_for_its_turn(competition, opened):
    answers = asyncio.run(asyncio.wait_for(together(["/c/samurai/"] * 5 * AT_ONCE, opened), 120))
    assert {answer["status"] for answer in answers} == {200}
    assert max(answer["held"] for answer in answers) <= AT_ONCE


@pytest.mark.parametrize(
    ("crowd", "headers"),
    [
        (["192.0.2.1"] * 80, [()] * 80),
        ([f"2001:db8::{n:x}" for n in range(80)], [()] * 80),  # one network
        (["192.0.2.1"] * 80, [[(b"x-forwarded-for", f"198.51.100.{n}".encode())] for n in range(80)]),
    ],
    ids=["one address", "one network", "pretended addresses"],
)
def test_an_address_that_asks_for_much_at_once_waits_for_itself(competition, opened, crowd, headers):
    ended = []

    async def ask(visitor, of_visitor):
        await read("/c/samurai/", opened, visitor, of_visitor)
        ended.append(visitor)

    async def scenario():
        many = [asyncio.create_task(ask(visitor, own)) for visitor, own in zip(crowd, headers, strict=True)]
        while not ended:  # until they wait for their turn
            await asyncio.sleep(0.01)
        before = len(ended)
        await ask("203.0.113.9", ())
        of_crowd = len(ended) - before - 1
        await asyncio.gather(*many)
        return of_crowd

    assert asyncio.run(asyncio.wait_for(scenario(), 120)) <= 3 * OF_ADDRESS


def test_the_places_of_an_address_are_free_when_its_requests_end_or_are_given_up(competition, opened):
    async def scenario():
        gone = asyncio.Event()
        waiting = [read("/c/samurai/", opened, gone=gone) for _ in range(3 * OF_ADDRESS)]
        given_up = asyncio.gather(*waiting)
        asyncio.get_running_loop().call_soon(gone.set)
        await given_up
        return await together(["/c/samurai/"] * 3 * OF_ADDRESS, opened)

    answers = asyncio.run(asyncio.wait_for(scenario(), 120))
    assert {answer["status"] for answer in answers} == {200}


async def streams(address, count):
    """How many threads more there are while so many readers listen; each has had its first bytes."""
    before, left, begun = threading.active_count(), asyncio.Event(), asyncio.Semaphore(0)

    tasks = [
        asyncio.create_task(listen(address, f"127.0.0.{number}", begun.release, left))
        for number in range(1, count + 1)
    ]
    for _ in tasks:
        await begun.acquire()
    thread_count = threading.active_count() - before
    left.set()
    await asyncio.gather(*tasks)
    return thread_count


@pytest.mark.parametrize("address", ["/c/samurai/events/", "/api/v1/competitions/samurai/events"])
def test_listeners_keep_no_threads(competition, address):
    """There would be as many as listeners. Those that read for all of them are few."""
    Leaderboard.objects.create(competition=competition)
    few, many = (asyncio.run(asyncio.wait_for(streams(address, count), 60)) for count in (1, 40))

    assert many <= few + 8


def test_a_page_that_does_not_exist_leaves_no_connection_behind(opened):
    """Django makes it in a thread of a pool. One left there breaks later pages when the server restarts."""
    assert held_by_a_reader("/c/no-such/", opened) == (0, 404)
    assert opened
