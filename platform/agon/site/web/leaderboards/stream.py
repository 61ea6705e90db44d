"""Server-sent events: an open leaderboard page learns of every new version.

Theory of operation.

Processes:
- One task of each web process reads all versions every POLL_SECONDS, in a thread with a database connection
  of its own, while there are listeners. So a thousand open pages cost the database no more than one.

Pipes:
- A response for each listener. It ends when the reader closes it; a heartbeat notices closed connections.

Trust:
- Anyone may listen. The number of streams is limited: by address, and for each web process.

Failure:
- The database is polled, not a cache: its version cannot get lost, and cannot be seen before the result that
  raised it.
- Whatever fails is logged and tried again. After BROKEN_SECONDS without a version, listeners get
  `event: broken` and the stream ends; the page then asks at intervals, and listens again later
  (static/js/live.js).
"""

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from django.db import connection
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard
from agon.site.web.core import open_streams
from agon.site.web.core.loop_watch import LoopWatch, watching
from agon.site.web.core.open_streams import Slot

POLL_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0  # so that proxies keep the connection, and lost ones are noticed at both ends
BROKEN_SECONDS = 5.0
ALIVE = b"event: alive\ndata: alive\n\n"  # an event: scripts do not see comments
BROKEN = b"event: broken\ndata: broken\n\n"

log = logging.getLogger(__name__)


def response(competition: Competition, address: str) -> HttpResponseBase:
    """A competition's stream: `event: leaderboard`, the version as data and id; the current one at once.

    If `address` has too many open streams in this process: 429; if all addresses together have: 503.
    """
    refused = open_streams.refusal(address)
    if refused is not None:
        return refused
    return StreamingHttpResponse(
        _counted(competition.pk, Slot(address)),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _counted(competition_id: int, slot: Slot) -> AsyncIterator[bytes]:
    try:
        async with contextlib.aclosing(events(competition_id)) as parts:
            async for part in parts:
                yield part
    finally:
        slot.release()


async def events(competition_id: int) -> AsyncGenerator[bytes]:
    """The bytes of the stream, endless unless the versions cannot be read; the reader closes it."""
    sent = None
    async with watching(_watches, _made) as watch:
        while not watch.broken:
            version = watch.versions.get(competition_id, 0)
            if watch.read and version != sent:
                sent = version
                yield f"id: {version}\nevent: leaderboard\ndata: {version}\n\n".encode()
            is_news = functools.partial(watch.changed, competition_id, sent)
            if not await watch.until(is_news, HEARTBEAT_SECONDS):
                yield ALIVE
    yield BROKEN


class Watch(LoopWatch):
    """Reads the versions."""

    def __init__(self) -> None:
        super().__init__()
        self.versions: dict[int, int] = {}
        self.read = False
        self._unanswered_since: float | None = None  # the first question since the last answer

    @property
    def broken(self) -> bool:
        """Whether the versions could not be read for BROKEN_SECONDS: reading failed, or does not end.

        Not if they were not asked for, as when the machine has no time for this process.
        """
        since = self._unanswered_since
        return since is not None and time.monotonic() - since > BROKEN_SECONDS

    def changed(self, competition_id: int, since: int | None) -> bool:
        """Whether a competition's version is known and differs from `since`, or the watch is broken."""
        return self.broken or (self.read and self.versions.get(competition_id, 0) != since)

    async def _poll(self) -> None:
        thread = ThreadPoolExecutor(1, "leaderboards")
        try:
            while True:
                await self._read(thread)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            thread.submit(_close_connection)
            thread.shutdown(wait=False)  # a query that does not end must not stop the event loop

    async def _read(self, thread: ThreadPoolExecutor) -> None:
        if self._unanswered_since is None:
            self._unanswered_since = time.monotonic()
        try:
            versions = await asyncio.get_running_loop().run_in_executor(thread, self._ask)
        except Exception:  # whatever it is, pages that are open must not wait for news that never arrive
            log.exception("the leaderboards' versions could not be read")
            versions = None
        if versions is not None and (versions != self.versions or not self.read):
            self.versions, self.read = versions, True
            self._tell()
        elif self.broken:
            self._tell()

    def _ask(self) -> dict[int, int]:
        """In a thread of its own, which notes the answer even while the event loop is held up."""
        versions = _versions()
        self._unanswered_since = None
        return versions


_watches: dict[asyncio.AbstractEventLoop, Watch] = {}


async def _made() -> Watch:
    return Watch()


def _versions() -> dict[int, int]:
    try:
        return dict(Leaderboard.objects.values_list("competition_id", "version"))
    except Exception:
        connection.close()
        raise


def _close_connection() -> None:
    """Close the database connection of the thread that calls this."""
    connection.close()
