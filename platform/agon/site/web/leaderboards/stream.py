"""Server-sent events: an open leaderboard page learns of every new version, or gets the new board itself.

Theory of operation.

Processes:
- One task of each web process reads all versions every POLL_SECONDS, in a thread with a database connection
  of its own, while there are listeners. So a thousand open pages cost the database no more than one.
- That thread also makes the boards that have changed, for pages that show the first rows to any reader. A
  request of each page for it takes some 4 ms of the process: a thousand pages would wait for seconds.

Pipes:
- A response for each listener. It ends when the reader closes it; a heartbeat notices closed connections.
- A board is compressed once for all listeners (agon.site.web.core.shared_gzip).

Trust:
- Anyone may listen. The number of streams is limited: by address, and for each web process.

Failure:
- The database is polled, not a cache: its version cannot get lost, and cannot be seen before the result that
  raised it.
- Instead of a board that cannot be made, listeners get its version, and ask for it.
- Whatever fails is logged and tried again. After BROKEN_SECONDS without an answer, listeners get
  `event: broken` and the stream ends; the page then asks at intervals, and listens again later
  (static/js/live.js).
"""

import asyncio
import contextlib
import functools
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from django.db import connection
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard
from agon.site.web.core import open_streams, shared_gzip
from agon.site.web.core.loop_watch import LoopWatch, watching
from agon.site.web.core.open_streams import Slot

POLL_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0  # so that proxies keep the connection, and lost ones are noticed at both ends
BROKEN_SECONDS = 5.0
ALIVE = b"event: alive\ndata: alive\n\n"  # an event: scripts do not see comments
BROKEN = b"event: broken\ndata: broken\n\n"

log = logging.getLogger(__name__)

T = TypeVar("T")


class Shown(NamedTuple):
    """A board that is sent as a whole. make: makes its HTML."""

    competition: int
    language: str
    make: Callable[[int, str], str]


def response(
    competition: Competition, address: str, shown: Shown | None = None, *, is_compressed: bool = False
) -> HttpResponseBase:
    """A competition's stream: `event: leaderboard`, the version as data and id; the current one at once.

    shown: send `event: board` in place of it, with the HTML as data.
    If `address` has too many open streams in this process: 429; if all addresses together have: 503.
    """
    refused = open_streams.refusal(address)
    if refused is not None:
        return refused
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if is_compressed:
        headers["Content-Encoding"] = "gzip"
    return StreamingHttpResponse(
        _counted(events(competition.pk, shown), Slot(address), is_compressed),
        content_type="text/event-stream",
        headers=headers,
    )


async def _counted(found: AsyncGenerator[bytes], slot: Slot, is_compressed: bool) -> AsyncIterator[bytes]:
    head = shared_gzip.HEAD
    try:
        async with contextlib.aclosing(found) as parts:
            async for part in parts:
                yield head + shared_gzip.block(part) if is_compressed else part
                head = b""
    finally:
        slot.release()


async def events(competition_id: int, shown: Shown | None = None) -> AsyncGenerator[bytes]:
    """The bytes of the stream, endless unless the versions cannot be read; the reader closes it."""
    sent = None
    async with watching(_watches, _made) as watch:
        with watch.showing(shown):
            while not watch.broken:
                latest = watch.latest(competition_id, shown)
                if latest is not None and latest != sent:
                    sent = latest
                    yield latest
                is_news = functools.partial(watch.has_other, competition_id, shown, sent)
                if not await watch.until(is_news, HEARTBEAT_SECONDS):
                    yield ALIVE
    yield BROKEN


class Watch(LoopWatch):
    """Reads the versions, and makes the boards that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.versions: dict[int, int] = {}
        self.read = False
        self._shown: Counter[Shown] = Counter()
        self._boards: dict[Shown, tuple[int, bytes]] = {}  # each with the version that was known before
        self._unanswered_since: float | None = None  # the first question since the last answer

    @property
    def broken(self) -> bool:
        """Whether nothing could be read for BROKEN_SECONDS: reading failed, or does not end.

        Not if they were not asked for, as when the machine has no time for this process.
        """
        since = self._unanswered_since
        return since is not None and time.monotonic() - since > BROKEN_SECONDS

    @contextlib.contextmanager
    def showing(self, shown: Shown | None) -> Iterator[None]:
        """Within the block this board is made whenever it has changed."""
        if shown is None:
            yield
            return
        self._shown[shown] += 1
        try:
            yield
        finally:
            self._shown[shown] -= 1
            if not self._shown[shown]:
                del self._shown[shown]
                self._boards.pop(shown, None)

    def latest(self, competition_id: int, shown: Shown | None) -> bytes | None:
        """What is sent of the latest version; None if it is not known yet."""
        if shown is not None:
            return self._boards[shown][1] if shown in self._boards else None
        return _version_event(self.versions.get(competition_id, 0)) if self.read else None

    def has_other(self, competition_id: int, shown: Shown | None, sent: bytes | None) -> bool:
        """Whether there is something to send that differs from `sent`, or the watch is broken."""
        return self.broken or self.latest(competition_id, shown) not in (None, sent)

    async def _poll(self) -> None:
        thread = ThreadPoolExecutor(1, "leaderboards")
        try:
            while True:
                await self._read(thread)
                await self._make_boards(thread)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            thread.submit(_close_connection)
            thread.shutdown(wait=False)  # a query that does not end must not stop the event loop

    async def _read(self, thread: ThreadPoolExecutor) -> None:
        try:
            versions = await self._answer(thread, _versions)
        except Exception:  # whatever it is, pages that are open must not wait for news that never arrive
            log.exception("the leaderboards' versions could not be read")
            versions = None
        if versions is not None and (versions != self.versions or not self.read):
            self.versions, self.read = versions, True
            self._notify()
        elif self.broken:
            self._notify()

    async def _make_boards(self, thread: ThreadPoolExecutor) -> None:
        """Make those that are not of the versions that were read."""
        for shown in [*self._shown] if self.read else ():
            version = self.versions.get(shown.competition, 0)
            if shown in self._boards and self._boards[shown][0] == version:
                continue
            try:
                made = await self._answer(thread, functools.partial(_board_event, shown, version))
            except Exception:  # whatever it is, a page that asks for the board gets an answer
                log.exception("the board of competition %s could not be made", shown.competition)
                made = _version_event(version)
            if shown in self._shown:
                self._boards[shown] = version, made
                self._notify()

    async def _answer(self, thread: ThreadPoolExecutor, ask: Callable[[], T]) -> T:
        """Ask in the thread, which notes that there is an answer even while the event loop is held up."""
        if self._unanswered_since is None:
            self._unanswered_since = time.monotonic()

        def answer() -> T:
            try:
                answered = ask()
            except Exception:
                connection.close()
                raise
            self._unanswered_since = None
            return answered

        return await asyncio.get_running_loop().run_in_executor(thread, answer)


_watches: dict[asyncio.AbstractEventLoop, Watch] = {}


async def _made() -> Watch:
    return Watch()


@functools.lru_cache(maxsize=256)
def _version_event(version: int) -> bytes:
    return f"id: {version}\nevent: leaderboard\ndata: {version}\n\n".encode()


def _board_event(shown: Shown, version: int) -> bytes:
    html = shown.make(shown.competition, shown.language)
    lines = "".join(f"data: {line}\n" for line in html.replace("\r", "").split("\n"))
    return f"id: {version}\nevent: board\n{lines}\n".encode()


def _versions() -> dict[int, int]:
    return dict(Leaderboard.objects.values_list("competition_id", "version"))


def _close_connection() -> None:
    """Close the database connection of the thread that calls this."""
    connection.close()
