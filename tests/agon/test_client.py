"""A site that is away for a while is waited for, if it has answered before; the clock is one of the test."""

import pickle
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from agon.client import Site, SiteError, connection, site

MINUTES = 60.0


class Restarted(BaseHTTPRequestHandler):
    """A site behind a proxy. away: how many requests it answers with 502 after each that it answers."""

    away: int
    left = 0

    def do_GET(self) -> None:
        status = 200 if self.left == 0 else 502
        type(self).left = self.away if self.left == 0 else self.left - 1
        body = b'{"id": 7}' if status == 200 else b"<h1>Bad Gateway</h1>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def slept(monkeypatch) -> list[float]:
    """The pauses of the client, which pass at once."""
    pauses: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append)
    for module in (connection, site):
        monkeypatch.setattr(module, "time", clock)
    return pauses


@pytest.fixture
def restarted() -> Iterator[Any]:
    """restarted(away): the address of such a site."""
    servers = []

    def start(away: int) -> str:
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), type("Site", (Restarted,), {"away": away})))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_site_that_is_away_for_a_minute_is_waited_for(restarted, slept):
    said: list[str] = []
    with Site(restarted(away=15), patience=10 * MINUTES, on_wait=said.append) as site:
        assert site.bot(7) == {"id": 7}
        assert site.bot(7) == {"id": 7}
    assert 30 < sum(slept) < 90
    assert len(said) == 1
    assert said[0].endswith("answered 502 Bad Gateway; waiting for it, for 10 minutes at most")


def test_one_that_stays_away_is_reported_when_the_patience_is_used_up(restarted, slept):
    with Site(restarted(away=1000), patience=10 * MINUTES) as site:
        site.bot(7)
        with pytest.raises(SiteError) as error:
            site.bot(7)
    assert error.value.code == "unavailable"
    assert 10 * MINUTES <= sum(slept) < 11 * MINUTES


def test_one_that_has_never_answered_is_not_waited_for(slept):
    with Site("http://127.0.0.1:9", patience=10 * MINUTES) as site, pytest.raises(SiteError) as error:
        site.bot(7)
    assert error.value.code == "unreachable"
    assert sum(slept) < 10


def test_an_error_goes_from_one_process_to_another_as_a_whole():
    error = SiteError("quota", "Too many bots.", 429, "Delete one.", 60.0)
    got = pickle.loads(pickle.dumps(error))  # noqa: S301 (it is our own)
    assert str(got) == "Too many bots."
    assert vars(got) == vars(error)


def test_a_token_may_have_the_end_of_its_line_and_one_that_is_none_is_named(restarted):
    with Site(restarted(0), "agon_x\n") as client:
        assert client.call("GET", "bots/7") == {"id": 7}
    with pytest.raises(SiteError, match="that is no token") as refused:
        Site("https://agon.example", "agon_\u00e4")
    assert refused.value.code == "token_unknown"
