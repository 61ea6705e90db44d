"""Readers who take their time, or listen without end, hold no connection to the database: there are few."""

import asyncio

import pytest
from django.db.backends.signals import connection_created

from agon.asgi import application
from agon.web.concurrency import AT_ONCE
from matches import leases, queueing
from matches.models import Match
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


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


async def read(address, opened):
    seen = {}

    async def send(message):
        if message["type"] == "http.response.start":
            seen["status"] = message["status"]
        elif "held" not in seen:
            seen["held"] = sum(each.connection is not None for each in opened)
            gone.set()

    async def receive():
        if not asked:
            asked.append(True)
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    asked, gone = [], asyncio.Event()
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": address,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await application(scope, receive, send)
    return seen


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


def test_a_crowd_that_comes_at_once_waits_for_its_turn(competition, opened):
    answers = asyncio.run(asyncio.wait_for(together(["/c/samurai/"] * 5 * AT_ONCE, opened), 120))
    assert {each["status"] for each in answers} == {200}
    assert max(each["held"] for each in answers) <= AT_ONCE
