"""What the site does before any page is asked for: headers of every answer, and requests that are too big."""

import asyncio
import gc
import weakref

import pytest

from agon.site.web.core import body_limit
from agon.site.web.core.body_limit import MOST_BYTES, SMALL_BYTES, Visitor, limited


def ask(headers, chunks, account="7", pause=0.0):
    """Send `chunks` to an application that reads to the end; (status, bytes read, disconnected)."""
    seen = exchange(headers, chunks, account, pause)
    return seen["status"], seen["read"], seen["cut"]


def exchange(headers, chunks, account="7", pause=0.0):
    pending = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    pending.append({"type": "http.request", "body": b"", "more_body": False})
    seen = {"status": None, "read": 0, "cut": False, "text": ""}

    async def receive():
        await asyncio.sleep(pause)
        return pending.pop(0)

    async def send(message):
        seen["status"] = message.get("status", seen["status"])
        seen["text"] += message.get("body", b"").decode()

    async def reads_all(scope, receive, send):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                seen["cut"] = True
                return
            seen["read"] += len(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def account_of(scope):
        return account

    visitor = Visitor(address=lambda scope: "192.0.2.1", account=account_of)
    scope = Scope(type="http", headers=headers)
    seen["scope"] = weakref.ref(scope)
    asyncio.run(limited(reads_all, visitor)(scope, receive, send))
    seen["unread"] = len(pending)
    return seen


class Scope(dict):
    """A request's scope, which can be watched until it is freed."""


CHUNKED = [(b"transfer-encoding", b"chunked")]


def announced(size):
    return [(b"content-length", str(size).encode())]


def test_a_request_within_the_limit_is_read():
    assert ask(announced(5), [b"hello"]) == (200, 5, False)
    assert ask(announced(5), [b"hello"], account=None) == (200, 5, False)


def test_a_request_that_announces_too_much_is_refused_unread():
    assert ask(announced(MOST_BYTES + 1), [b"x"]) == (413, 0, False)


def test_one_that_is_far_too_large_is_read_to_its_end_so_that_browsers_show_the_answer():
    seen = exchange(announced(200 << 20), [bytes(1 << 20)] * 200)
    assert (seen["status"], seen["read"], seen["unread"]) == (413, 0, 0)
    assert "expected at most 32 MiB" in seen["text"]


def test_a_request_that_sends_too_much_without_saying_so_is_cut_off():
    status, read, cut = ask(CHUNKED, [bytes(8 << 20)] * 10)
    assert (status, cut) == (413, True)
    assert read <= MOST_BYTES


@pytest.mark.parametrize(
    "headers",
    [
        [*CHUNKED, *announced(5)],
        [*announced(0), *CHUNKED],
        [*announced(5), (b"transfer-encoding", b"identity")],
        [*announced(5), (b"x", b"y"), (b"transfer-encoding", b"")],
    ],
)
def test_a_body_of_two_lengths_is_refused_unread(headers):
    seen = exchange(headers, [b"hello"])
    assert (seen["status"], seen["read"]) == (400, 0)
    assert seen["text"] == "A request must not have both Content-Length and Transfer-Encoding.\n"


@pytest.mark.parametrize("headers", [announced(SMALL_BYTES + 1), CHUNKED, announced(1)])
def test_who_is_not_signed_in_sends_little(headers):
    status, read, _ = ask(headers, [bytes(SMALL_BYTES), bytes(1), bytes(1 << 20)], account=None)
    assert status == 413
    assert read <= SMALL_BYTES
    assert ask(headers, [bytes(SMALL_BYTES), bytes(1)])[:2] == (200, SMALL_BYTES + 1)


@pytest.mark.parametrize(
    ("preference", "text"),
    [
        ((b"accept-language", b"de"), "Sign in before you send more than 256 KiB.\n"),
        (
            (b"accept-language", b"ja,en;q=0.5"),
            "256 KiB を超えるデータを送るには、先にログインしてください。\n",
        ),
        ((b"cookie", b"a=b; django_language=ru"), "Войдите, чтобы отправить больше 256\xa0КиБ.\n"),
    ],
)
def test_a_refusal_is_in_the_language_of_the_reader(preference, text):
    headers = [*announced(SMALL_BYTES + 1), preference]
    assert exchange(headers, [bytes(1)], account=None)["text"] == text


def test_a_body_that_stalls_is_given_up(monkeypatch):
    monkeypatch.setattr("agon.site.web.core.body_limit.STALLED", 0.05)
    assert ask(announced(5), [b"hello"], pause=5)[::2] == (408, True)


def test_a_body_that_drips_is_given_up(monkeypatch):
    monkeypatch.setattr("agon.site.web.core.body_limit.PATIENCE", 0.3)
    status, read, cut = ask(announced(1000), [b"x"] * 1000, pause=0.02)
    assert (status, cut) == (408, True)
    assert read < 100


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("limits", "headers", "chunks", "status"),
    [
        ({}, announced(MOST_BYTES + 1), [b"x"], 413),
        ({}, CHUNKED, [bytes(8 << 20)] * 5, 413),
        ({}, announced(SMALL_BYTES + 1), [b"x"], 413),
        ({"OF_ALL": 0}, announced(5), [b"hello"], 503),
        ({"OF_ADDRESS": 0}, announced(5), [b"hello"], 429),
        ({"STALLED": 0.0}, announced(5), [b"hello"], 408),
    ],
)
def test_a_refused_request_leaves_nothing_in_memory(monkeypatch, limits, headers, chunks, status):
    for name, value in limits.items():
        monkeypatch.setattr(body_limit, name, value)
    account = None if headers == announced(SMALL_BYTES + 1) else "7"
    seen = exchange(headers, chunks, account, pause=0.001)
    assert seen["status"] == status
    gc.collect()
    assert seen["scope"]() is None


def test_no_page_may_load_anything_from_elsewhere_or_run_inline_scripts(client, db):
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
