"""No request may fill the disk: bodies are spooled there before a view sees them, whoever sent them.

The limit is well above what a form takes, so that an upload that is only too big for its form is answered
by the form, in words.
"""

from collections.abc import Awaitable, Callable
from typing import Any

MOST_BYTES = 32 << 20
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


def limited(application: Application) -> Application:
    """`application`, with requests above MOST_BYTES refused by 413, or cut off if unannounced."""

    async def inner(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
        elif _announced(scope) > MOST_BYTES:
            await _refuse(send)
        else:
            await application(scope, _counting(receive), send)

    return inner


def _announced(scope: Message) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _refuse(send: Send) -> None:
    text = f"The request is too big: expected at most {MOST_BYTES >> 20} MiB.\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _counting(receive: Receive) -> Receive:
    read = 0

    async def counting() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > MOST_BYTES else message

    return counting
