"""Requests straight to the ASGI application, as a server hands them over."""

import asyncio
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


def ask(
    application: Any, path: str, method: str = "GET", client: str = "127.0.0.1", **headers: str
) -> Answer:
    """The answer to a request without a body; `x_forwarded_for=...` is a header."""
    return asyncio.run(asyncio.wait_for(asked(application, path, method, client, **headers), 60))


async def asked(
    application: Any, path: str, method: str = "GET", client: str = "127.0.0.1", **headers: str
) -> Answer:
    """The same, in a running loop."""
    pairs = {"host": "127.0.0.1"} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in pairs.items()],
        "client": (client, 1),
        "server": ("127.0.0.1", 80),
    }
    sent: list[dict[str, Any]] = []
    begun: list[bool] = []

    async def receive() -> dict[str, Any]:
        if begun:
            await asyncio.Event().wait()  # a reader who stays
        begun.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    response_headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], response_headers, body.decode())
