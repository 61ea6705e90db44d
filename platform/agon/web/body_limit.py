"""No body may fill the disk, or keep a place in the server: neither a large one nor one that never ends.

A body is spooled to the disk before a view sees it. So, before that:
- none is larger than MOST_BYTES, announced or not; that is well above what a form takes, so that an upload
  that is only too big for its form is answered by the form, in words;
- who is not signed in sends at most SMALL_BYTES;
- one that stalls for STALLED seconds, or that as a whole is slower than SLOWEST, is given up;
- few are unfinished at a time: of one address, of one account, and in the whole process.

Everything else is answered by a line of text. A body that is refused is read on for a while, and thrown away,
because browsers do not show an answer that arrives before they have sent everything.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

MOST_BYTES = 32 << 20
SMALL_BYTES = 256 << 10
STALLED = 20.0  # seconds without a byte
PATIENCE = 30.0  # seconds, and as many more as SLOWEST allows
SLOWEST = 64 << 10  # bytes a second
OF_ADDRESS, OF_ALL = 20, 200  # unfinished bodies of any size, in a process
LARGE_OF_ACCOUNT, LARGE_OF_ALL = 2, 16  # those above SMALL_BYTES

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class Refused(Exception):
    """A body that is not taken: the status and the line of the answer."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


TOO_LARGE = Refused(413, f"The request is too big: expected at most {MOST_BYTES >> 20} MiB.")
NOT_SIGNED_IN = Refused(413, f"Sign in before you send more than {SMALL_BYTES >> 10} KiB.")
TOO_SLOW = Refused(408, "The request took too long to arrive.")
TOO_MANY = Refused(429, "Too many unfinished requests from your address or account: wait for one of them.")
BUSY = Refused(503, "Too many unfinished requests at the moment: try again in a minute.")


@dataclass
class Places:
    """Bodies that are being received: at most `of_one` of a visitor, and `of_all` together."""

    of_one: int
    of_all: int
    taken: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def one(self, visitor: str) -> Iterator[None]:
        if self.taken.total() >= self.of_all:
            raise BUSY
        if self.taken[visitor] >= self.of_one:
            raise TOO_MANY
        self.taken[visitor] += 1
        try:
            yield
        finally:
            self.taken[visitor] -= 1
            self.taken += Counter()  # without those that have none


@dataclass(frozen=True)
class Visitor:
    """Who asks. `account`: which account is signed in, if there is one; asked of large bodies."""

    address: Callable[[Message], str]
    account: Callable[[Message], Awaitable[str | None]]


def limited(application: Application, visitor: Visitor) -> Application:
    """`application`, with bodies within the bounds; others end for it as if the client had gone."""
    small, large = Places(OF_ADDRESS, OF_ALL), Places(LARGE_OF_ACCOUNT, LARGE_OF_ALL)

    async def inner(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await application(scope, receive, send)
            return
        with ExitStack() as places:

            async def enlarge() -> None:
                account = await visitor.account(scope)
                if account is None:
                    raise NOT_SIGNED_IN
                places.enter_context(large.one(account))

            body = _Body(receive, enlarge, places)
            try:
                places.enter_context(small.one(visitor.address(scope)))
                await body.announce(_announced(scope))
            except Refused as refused:
                body.refused = refused
            else:
                await application(scope, body.receive, send)
            if body.refused is not None:
                await body.throw_away()
                await _answer(send, body.refused)

    return inner


class _Body:
    """A body on its way: `receive` hands its parts on until it is refused."""

    def __init__(self, receive: Receive, enlarge: Callable[[], Awaitable[None]], places: ExitStack) -> None:
        self.refused: Refused | None = None
        self._receive, self._enlarge, self._places = receive, enlarge, places
        self._began = time.monotonic()
        self._read = 0
        self._large = self._ended = False

    async def announce(self, size: int) -> None:
        """Raises Refused where so many bytes may not be sent."""
        if size > MOST_BYTES:
            raise TOO_LARGE
        if size > SMALL_BYTES and not self._large:
            self._large = True
            await self._enlarge()

    async def receive(self) -> Message:
        if self._ended:
            return await self._receive()
        if self.refused is None:
            try:
                message = await self._next()
                await self.announce(self._read)
                return message
            except Refused as refused:
                self.refused = refused
        return {"type": "http.disconnect"}

    async def throw_away(self) -> None:
        """Read what is still sent, as far as that is within the bounds."""
        until = time.monotonic() + PATIENCE
        with suppress(Refused):
            while not self._ended and self._read <= MOST_BYTES and time.monotonic() < until:
                await self._next()

    async def _next(self) -> Message:
        slowest = self._began + PATIENCE + self._read / SLOWEST
        try:
            left = min(STALLED, slowest - time.monotonic())
            message = await asyncio.wait_for(self._receive(), left)
        except TimeoutError:
            raise TOO_SLOW from None
        self._read += len(message.get("body", b""))
        if not message.get("more_body"):
            self._ended = True
            self._places.close()
        return message


def _has_body(scope: Message) -> bool:
    names = {name for name, _ in scope["headers"]}
    return b"transfer-encoding" in names or _announced(scope) > 0


def _announced(scope: Message) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _answer(send: Send, refused: Refused) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"connection", b"close"),
        (b"cache-control", b"no-store"),
    ]
    if refused.status in (429, 503):
        headers.append((b"retry-after", b"60"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{refused}\n".encode()})
