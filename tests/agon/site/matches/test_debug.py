"""Standard error by step: for those who may see it, from the worker's note to the player."""

import dataclasses

import pytest
from django.test import Client

from agon.site.matches import leases, queueing
from agon.site.matches.models import Match, Stderr
from tests.support.factories import activate, played


@pytest.fixture
def match(user, competition):
    four = activate(user, competition, ["Ann", "Bo", "Cy", "Di"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four, seed=7)
    claimed = leases.claim("w")
    written = b'hello\n@debug {"places": {"3": 0.5}}\nsecond\n'
    result = dataclasses.replace(
        played(claimed),
        stderr=(written, b"", b"", b""),
        stderr_at=((6, len(written) - 7, len(written)), (), (), ()),
    )
    assert leases.finish(claimed, result)
    return Match.objects.get(pk=claimed.pk)


def test_the_owner_gets_what_its_bot_wrote_by_frame(match, user):
    browser = Client()
    browser.force_login(user)
    answer = browser.get(f"/matches/{match.pk}/debug.json")
    assert "private" in answer.headers["Cache-Control"]
    assert answer.json() == {
        "pieces": [
            {"frame": 0, "seat": 0, "text": "hello", "overlay": None},
            {"frame": 1, "seat": 0, "text": "", "overlay": {"places": {"3": 0.5}}},
            {"frame": 2, "seat": 0, "text": "second", "overlay": None},
        ]
    }
    assert (
        f'data-debug="/matches/{match.pk}/debug.json"'
        in browser.get(f"/matches/{match.pk}/").content.decode()
    )


def test_nobody_else_gets_any_of_it(match):
    assert Client().get(f"/matches/{match.pk}/debug.json").status_code == 404
    assert "data-debug" not in Client().get(f"/matches/{match.pk}/").content.decode()
    assert "hello" not in Client().get(f"/matches/{match.pk}/log.json").content.decode()


def test_what_is_not_known_by_ask_is_told_at_the_first_frame(match, user):
    Stderr.objects.update(asks=b"")
    browser = Client()
    browser.force_login(user)
    [piece] = browser.get(f"/matches/{match.pk}/debug.json").json()["pieces"]
    assert (piece["frame"], piece["text"]) == (0, "hello\nsecond")
