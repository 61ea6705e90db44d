"""People, bots and finished matches for the tests of the pages."""

from collections.abc import Iterator

import pytest
from django.template import engines
from django.test import Client
from playwright.sync_api import Browser

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.chromium import chromium
from tests.support.factories import activate, played

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file, because starting it takes longer than most tests.

    Playwright runs an event loop in this thread, so Django has to be told that queries are safe here.
    """
    with pytest.MonkeyPatch.context() as patch, chromium() as program:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield program


@pytest.fixture
def signed_in(user: User) -> Client:
    """A test client in which ada is signed in."""
    return browser_of(user)


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def organizer(db) -> User:
    return User.objects.create_superuser("orga", password=PASSWORD)


@pytest.fixture
def bare_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without header and footer, which take half of the time of most: for tests that read neither."""
    engine = engines["django"].engine
    (loader,) = engine.template_loaders  # the one that caches
    blocks = "{% block title %}{% endblock %}{% block head %}{% endblock %}{% block main %}{% endblock %}"
    monkeypatch.setitem(loader.get_template_cache, "base.html", engine.from_string(blocks))


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def four(user, competition) -> list[Submission]:
    """ada's four active bots."""
    return activate(user, competition, ["Rita", "Sue", "Tom", "Una"])


def play(submissions: list[Submission], faults=None, kind: str = Match.Kind.LADDER, **fields) -> Match:
    """A finished match of these submissions, by seat."""
    queueing.queue(
        submissions[0].bot.competition, kind, Match.Queue.INTERACTIVE, submissions, seed=38, **fields
    )
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed, faults))
    claimed.refresh_from_db()
    return claimed
