"""A tournament that was played to its end, and what may be downloaded of it."""

import pytest
from django.test import Client

from agon.contest.archive.signature import new_key
from agon.site.matches import leases
from agon.site.tournaments import services
from agon.site.tournaments.scheduling import tick
from tests.support.factories import active_bots, played


@pytest.fixture(autouse=True)
def key(settings):
    """A production site has none of its own."""
    settings.ARCHIVE_KEY = new_key()


def play(most=99):
    for _ in range(most):
        match = leases.claim("w")
        if match is None:
            break
        leases.finish(match, played(match))
    tick()


@pytest.fixture
def cup(user, competition):
    """A tournament that was played to its end."""
    bots = active_bots(user, competition, ["=1+1", "Sue", "Лиса", "Una"])
    cup = services.create(user, competition, "Cup", "rotations", 1, 7, bots)
    services.start(cup)
    play()
    cup.refresh_from_db()
    assert cup.state == "finished"
    return cup


def get(cup, name="archive", **headers):
    return Client().get(f"/tournaments/{cup.pk}/{name}", headers=headers)


def body(answer):
    return b"".join(answer.streaming_content)
