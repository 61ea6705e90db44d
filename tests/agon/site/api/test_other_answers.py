"""Answers that no site of this version gives end a command with a sentence, not as an internal error.

A proxy passes requests on to the site of the test, and changes what it answers: a field is missing, or of
another type, as from an older or a newer site, or from something in its place.
"""

import copy
import itertools
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from agon.site.accounts.models import User
from agon.site.api import limits
from agon.site.bots.states import State
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import activate, played, submit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MISSING = object()
VALUES = (MISSING, None, "text", 7, [], {}, [7])
COMMANDS = (
    ("whoami",),
    ("status", "REJECTED"),
    ("watch", "REJECTED"),
    ("board", "samurai"),
    ("matches",),
    ("rungs", "BOT"),
    ("logs", "MATCH"),
    ("download", "matches", "BOT"),
    ("submit", "samurai", "rita.py", "--check"),
    ("submit", "samurai", "rita.py"),
    ("try", "samurai", "rita.py"),
    ("challenge", "Ann", "Ben", "--matches", "4"),
)
Path = tuple[str | int, ...]


def paths(document: Any) -> Iterator[Path]:
    """Of all that is in a document; of a list of its first item alone."""
    if isinstance(document, dict):
        items = list(document.items())
    else:
        items = list(enumerate(document))[:1] if isinstance(document, list) else []
    for name, value in items:
        yield (name,)
        yield from ((name, *rest) for rest in paths(value))


def with_change(document: Any, path: Path, value: Any) -> Any:
    if not path:
        return None if value is MISSING else value
    changed = copy.deepcopy(document)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    if value is MISSING:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


class Proxy(BaseHTTPRequestHandler):
    """site: where requests go. change: what becomes of the document of an answer, by its number. kept: what
    the site answered, by address; None once something was sent that changes it.
    """

    site: str
    client: httpx.Client
    change: Callable[[int, Any], Any]
    answered: int
    kept: dict[str, httpx.Response] | None

    def do_GET(self) -> None:
        answer = self._answer()
        data = answer.content
        if answer.headers["Content-Type"] in ("application/json; charset=utf-8", "application/problem+json"):
            data = json.dumps(type(self).change(type(self).answered, answer.json())).encode()
            type(self).answered += 1
        self.send_response(answer.status_code)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self) -> httpx.Response:
        """What the site answers. It is asked once for each address, because it takes longer than the rest."""
        if self.command != "GET":
            type(self).kept = None
        if self.kept is not None and self.path in self.kept:
            return self.kept[self.path]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        answer = self.client.request(self.command, f"{self.site}{self.path}", headers=headers, content=body)
        if self.kept is not None:
            self.kept[self.path] = answer
        return answer

    do_POST = do_GET

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def before(live_server) -> Iterator[type[Proxy]]:
    with httpx.Client() as client:
        kind = type("Before", (Proxy,), {"site": live_server.url, "client": client, "kept": {}})
        server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kind.address = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
        yield kind
        server.shutdown()
        server.server_close()


@pytest.fixture
def words(user: User, competition, monkeypatch) -> Callable[[tuple[str, ...]], list[str]]:
    """A command with the numbers of what it is about."""
    monkeypatch.setattr(limits, "take", lambda request: limits.Allowance(limits.READS, 1, 1))
    four = activate(user, competition, ["Ann", "Ben", "Cid", "Dot"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    match = leases.claim("worker")
    assert match is not None
    assert leases.finish(match, played(match))
    rejected = submit(user, competition, "Eve", State.REJECTED)
    numbers = {"REJECTED": rejected.pk, "BOT": four[0].bot_id, "MATCH": match.pk}
    return lambda command: [str(numbers.get(word, word)) for word in command]


def changes(document: Any, values: Sequence[Any]) -> Iterator[tuple[Path, Any]]:
    """What to put where: at each path one of the values in turn."""
    return zip([*paths(document), ()], itertools.cycle(values))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(1, 7))])
def test_an_answer_of_another_form_is_reported(command, first, before, agon, token, program, words):
    documents: dict[str, tuple[int, Any]] = {}

    def run(change: Callable[[int, Any], Any]) -> Any:
        before.change, before.answered = staticmethod(change), 0
        return agon(*words(command), AGON_SITE=before.address, AGON_TOKEN=token)  # no internal error

    def keep(number: int, document: Any) -> Any:
        documents.setdefault(str(list(paths(document))), (number, document))
        return document

    run(keep)
    values = [*VALUES[first:], *VALUES[:first]]
    for answer, document in list(documents.values()):
        for path, value in changes(document, values):
            run(lambda n, given, a=answer, p=path, v=value: with_change(given, p, v) if n == a else given)
