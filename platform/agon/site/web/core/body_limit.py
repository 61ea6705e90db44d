"""Limits on request bodies, so that large or endless ones cannot fill the disk or tie up the server.

A body is spooled to disk before a view sees it. So, before that:
- No body is larger than MOST_BYTES, announced or not. That is well above what forms accept, so that the form
  can explain that an upload is too large.
- An answer of a bot at home has at most ANSWER_BYTES; hardly more of a larger one is read.
- Anonymous visitors send at most SMALL_BYTES.
- A body that stalls for STALLED seconds, or that is slower than SLOWEST on the whole, is given up.
- The number of unfinished bodies is limited: per address, per account, and per process.
- A body of two lengths (Content-Length and Transfer-Encoding) is refused unread: a proxy that goes by the
  other one would take a part of it for the next request.

Every other request gets a line of text, or what `describe` makes of it. A refused body is still read for a
while and discarded, because browsers do not show a response that arrives before they have sent everything.
"""

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, parse_cookie
from django.utils import translation
from django.utils.translation import gettext_noop as _

MOST_BYTES = 32 << 20
MOST_DISCARDED = 512 << 20  # of a refused body
SMALL_BYTES = 256 << 10
ANSWER_BYTES = 400 << 10  # 64 KiB, each byte of which may be escaped
ANSWERS = re.compile(r"/api/v1/home-bots/[0-9]+/answers")
STALLED = 20.0  # seconds without a byte
PATIENCE = 30.0  # seconds, plus what SLOWEST allows
SLOWEST = 64 << 10  # bytes per second
OF_ADDRESS, OF_ALL = 20, 200  # unfinished bodies of any size, per process
LARGE_OF_ACCOUNT, LARGE_OF_ALL = 2, 16  # those above SMALL_BYTES

log = logging.getLogger(__name__)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
# Makes the content type and the text of an answer, for a request, from its status and its line.
Describe = Callable[[Message, int, str], tuple[str, str]]


@dataclass(frozen=True)
class Refusal:
    """What the response to a refused body says: its status and its text, where %(most)d is a limit."""

    status: int
    line: str
    most: int = 0


class Refused(Exception):
    """A body that is not accepted. A new one for each body, since an exception keeps the frames it left."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.line)
        self.refusal = refusal


TOO_LARGE = Refusal(413, _("The request is too large: expected at most %(most)d MiB."), MOST_BYTES >> 20)
ANSWER_TOO_LARGE = Refusal(
    413, _("The answer is too large: expected at most %(most)d KiB."), ANSWER_BYTES >> 10
)
NOT_SIGNED_IN = Refusal(413, _("Sign in before you send more than %(most)d KiB."), SMALL_BYTES >> 10)
TOO_SLOW = Refusal(408, _("The request took too long to arrive."))
TOO_MANY = Refusal(
    429, _("Too many unfinished requests from your address or account: wait for one of them to finish.")
)
TWO_LENGTHS = Refusal(400, _("A request must not have both Content-Length and Transfer-Encoding."))
NO_DATABASE = Refusal(503, _("The database does not answer: try again in a minute."))
BUSY = Refusal(503, _("Too many unfinished requests at the moment: try again in a minute."))


@dataclass
class Places:
    """Bodies being received: at most `of_one` per visitor, and `of_all` in total."""

    of_one: int
    of_all: int
    taken: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def one(self, visitor: str) -> Iterator[None]:
        if self.taken.total() >= self.of_all:
            raise Refused(BUSY)
        if self.taken[visitor] >= self.of_one:
            raise Refused(TOO_MANY)
        self.taken[visitor] += 1
        try:
            yield
        finally:
            self.taken[visitor] -= 1
            self.taken += Counter()  # drops zero counts


@dataclass(frozen=True)
class Visitor:
    """Where a request comes from. `account`: the account signed in, if any; needed for large bodies."""

    address: Callable[[Message], str]
    account: Callable[[Message], Awaitable[str | None]]


def as_text(scope: Message, status: int, line: str) -> tuple[str, str]:
    """The line itself."""
    return "text/plain; charset=utf-8", f"{line}\n"


def limited(application: Application, visitor: Visitor, describe: Describe = as_text) -> Application:
    """`application` with limited bodies; to it, a refused one looks like a client that disconnects.

    describe: what is said about a refused body.
    """
    small, large = Places(OF_ADDRESS, OF_ALL), Places(LARGE_OF_ACCOUNT, LARGE_OF_ALL)

    async def inner(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await application(scope, receive, send)
            return
        if _has_two_lengths(scope):
            await _answer(send, TWO_LENGTHS, scope, describe)
            return
        with ExitStack() as places:

            async def enlarge() -> None:
                try:
                    account = await visitor.account(scope)
                except DatabaseError:
                    raise Refused(NO_DATABASE) from None
                if account is None:
                    raise Refused(NOT_SIGNED_IN)
                places.enter_context(large.one(account))

            body = _Body(receive, enlarge, places, is_answer=bool(ANSWERS.fullmatch(scope.get("path", ""))))
            try:
                places.enter_context(small.one(visitor.address(scope)))
                await body.announce(_announced(scope))
            except Refused as refused:
                body.refusal = refused.refusal
            else:
                await application(scope, body.receive, send)
            if body.refusal is not None:
                address, status = visitor.address(scope), body.refusal.status
                log.info("refused a body from %s: %s (%s)", address, status, body.refusal.line)
                await body.drain()
                await _answer(send, body.refusal, scope, describe)

    return inner


class _Body:
    """A body being received: `receive` passes its parts on until it is refused."""

    def __init__(
        self, receive: Receive, enlarge: Callable[[], Awaitable[None]], places: ExitStack, *, is_answer: bool
    ) -> None:
        self.refusal: Refusal | None = None
        self._receive, self._enlarge, self._places = receive, enlarge, places
        self._began = time.monotonic()
        self._read = 0
        self._large = self._ended = False
        self._is_answer = is_answer

    async def announce(self, size: int) -> None:
        """Raises Refused if that many bytes are not allowed."""
        if self._is_answer and size > ANSWER_BYTES:
            raise Refused(ANSWER_TOO_LARGE)
        if size > MOST_BYTES:
            raise Refused(TOO_LARGE)
        if size > SMALL_BYTES and not self._large:
            self._large = True
            await self._enlarge()

    async def receive(self) -> Message:
        if self._ended:
            return await self._receive()
        if self.refusal is None:
            try:
                message = await self._next()
                await self.announce(self._read)
                return message
            except Refused as refused:
                self.refusal = refused.refusal
        return {"type": "http.disconnect"}

    async def drain(self) -> None:
        """Read and discard the rest, within the limits."""
        until = time.monotonic() + PATIENCE
        most = 2 * ANSWER_BYTES if self._is_answer else MOST_DISCARDED
        with suppress(Refused):
            while not self._ended and self._read <= most and time.monotonic() < until:
                await self._next()

    async def _next(self) -> Message:
        slowest = self._began + PATIENCE + self._read / SLOWEST
        try:
            left = min(STALLED, slowest - time.monotonic())
            message = await asyncio.wait_for(self._receive(), left)
        except TimeoutError:
            raise Refused(TOO_SLOW) from None
        self._read += len(message.get("body", b""))
        if not message.get("more_body"):
            self._ended = True
            self._places.close()
        return message


def _has_body(scope: Message) -> bool:
    names = {name for name, _ in scope["headers"]}
    return b"transfer-encoding" in names or _announced(scope) > 0


def _has_two_lengths(scope: Message) -> bool:
    return {b"transfer-encoding", b"content-length"} <= {name for name, _ in scope["headers"]}


def _announced(scope: Message) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


def _language(scope: Message) -> str:
    """That of the reader: chosen on the site, otherwise that of the browser."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", "")
    request.COOKIES = parse_cookie(headers.get(b"cookie", ""))
    return translation.get_language_from_request(request)


async def _answer(send: Send, refusal: Refusal, scope: Message, describe: Describe) -> None:
    with translation.override(_language(scope)):
        line = translation.gettext(refusal.line) % {"most": refusal.most}
        content_type, text = describe(scope, refusal.status, line)
    headers = [
        (b"content-type", content_type.encode()),
        (b"connection", b"close"),
        (b"cache-control", b"no-store"),
    ]
    if refusal.status in (429, 503):
        headers.append((b"retry-after", b"60"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
