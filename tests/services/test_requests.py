"""What the site does before any page is asked for: headers of every answer, and requests that are too big."""

import asyncio

from agon.body_limit import MOST_BYTES, limited


def ask(headers, chunks):
    """Send `chunks` to an application that reads to the end; (status, bytes read, disconnected)."""
    pending = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    pending.append({"type": "http.request", "body": b"", "more_body": False})
    seen = {"status": None, "read": 0, "cut": False}

    async def receive():
        return pending.pop(0)

    async def send(message):
        seen["status"] = message.get("status", seen["status"])

    async def application(scope, receive, send):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                seen["cut"] = True
                return
            seen["read"] += len(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})

    asyncio.run(limited(application)({"type": "http", "headers": headers}, receive, send))
    return seen["status"], seen["read"], seen["cut"]


def test_a_request_within_the_limit_is_read():
    assert ask([(b"content-length", b"5")], [b"hello"]) == (200, 5, False)


def test_a_request_that_announces_too_much_is_refused_unread():
    assert ask([(b"content-length", str(MOST_BYTES + 1).encode())], [b"x"]) == (413, 0, False)


def test_a_request_that_sends_too_much_without_saying_so_is_cut_off():
    status, read, cut = ask([], [bytes(8 << 20)] * 10)

    assert (status, cut) == (None, True)
    assert read <= MOST_BYTES


def test_no_page_may_load_anything_from_elsewhere_or_run_inline_scripts(client, db):
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
