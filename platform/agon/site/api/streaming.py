"""Feeds that stay open: lines of JSON, or server-sent events.

Theory of operation.

Processes:
- One task of each web process numbers and reads new events every POLL_SECONDS, in a thread with a database
  connection of its own, while there are readers. So thousands of readers cost the database no more than one.

Pipes:
- A response for each reader. It first gets what is stored after its `since`, then what the task has read. It
  ends when the reader closes it; a heartbeat notices that.

Trust:
- The number of streams is limited, by address and for each web process, together with those of pages.

Failure:
- The last RECENT events are kept in memory. A reader that is slower than that, or that comes with an older
  `since`, reads from the database again. If the task cannot read, nothing is sent but heartbeats; readers
  that begin again with their last id miss nothing.
- A stream ends after LONGEST_SECONDS, so that a token that was revoked is not good for ever.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from ninja.responses import NinjaJSONEncoder

from agon.site.events import feed
from agon.site.events.models import Event
from agon.site.web.core.open_streams import Slot

POLL_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
LONGEST_SECONDS = 3600.0
RECENT = 5000  # events
AT_ONCE = 200  # events read for one reader
JSON_LINES, SERVER_SENT = "application/x-ndjson", "text/event-stream"

Shape = Callable[[Event], dict[str, Any]]
Belongs = Callable[[Event], bool]

log = logging.getLogger(__name__)


def response(
    stored: QuerySet[Event], belongs: Belongs, since: int, shape: Shape, content_type: str, slot: Slot
) -> StreamingHttpResponse:
    """The events of `stored` after `since`, and then those that `belongs` selects, as they happen."""
    encode = _line if content_type == JSON_LINES else _server_sent
    heartbeat = b"\n" if content_type == JSON_LINES else b": still here\n\n"
    body = _body(stored, belongs, since, lambda event: encode(shape(event)), heartbeat, slot)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type=content_type, headers=headers)


def _line(event: dict[str, Any]) -> bytes:
    return (json.dumps(event, cls=NinjaJSONEncoder, ensure_ascii=False) + "\n").encode()


def _server_sent(event: dict[str, Any]) -> bytes:
    data = json.dumps(event, cls=NinjaJSONEncoder, ensure_ascii=False)
    return f"id: {event['id']}\nevent: {event['type']}\ndata: {data}\n\n".encode()


async def _body(
    stored: QuerySet[Event],
    belongs: Belongs,
    since: int,
    encode: Callable[[Event], bytes],
    heartbeat: bytes,
    slot: Slot,
) -> AsyncIterator[bytes]:
    try:
        yield heartbeat  # at once: the reader knows that it is connected
        until = time.monotonic() + LONGEST_SECONDS
        async with _watch() as watch:
            while time.monotonic() < until:
                if since >= watch.oldest:
                    new = [event for event in watch.recent if (event.number or 0) > since]
                    mine = [event for event in new if belongs(event)]
                    since = max(since, watch.newest)
                else:
                    mine = await _in_thread(partial(_read, stored, since))
                    since = max([since, *(event.number or 0 for event in mine)])
                    if len(mine) < AT_ONCE:
                        since = max(since, watch.oldest)
                for event in mine:
                    yield encode(event)
                if not mine:
                    try:
                        await asyncio.wait_for(watch.beyond(since), HEARTBEAT_SECONDS)
                    except TimeoutError:
                        yield heartbeat
    finally:
        slot.release()


class Watch:
    """Reads new events while it has readers. One per event loop, and thus per web process.

    recent: the events after the number `oldest` up to `newest`.
    """

    def __init__(self, newest: int) -> None:
        self.oldest = self.newest = newest
        self.recent: deque[Event] = deque()
        self.readers = 0
        self._news = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    async def beyond(self, number: int) -> None:
        """Wait for an event with a larger number."""
        async with self._news:
            await self._news.wait_for(lambda: self.newest > number)

    def begin(self) -> None:
        self._task = asyncio.create_task(self._poll())

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                new = await _in_thread(partial(_read, Event.objects.all(), self.newest))
            except Exception:  # whatever it is, it is tried again
                log.exception("events could not be read")
                continue
            if new:
                async with self._news:
                    self._keep(new)
                    self._news.notify_all()

    def _keep(self, new: list[Event]) -> None:
        self.recent += new
        self.newest = new[-1].number or self.newest
        while len(self.recent) > RECENT:
            self.oldest = self.recent.popleft().number or self.oldest


_watches: dict[asyncio.AbstractEventLoop, Watch] = {}


@contextlib.asynccontextmanager
async def _watch() -> AsyncIterator[Watch]:
    """The watch of this event loop: started for the first reader, stopped with the last."""
    loop = asyncio.get_running_loop()
    if loop not in _watches:
        newest = await _in_thread(feed.last_number)
        if loop not in _watches:  # another reader may have begun meanwhile
            _watches[loop] = Watch(newest)
            _watches[loop].begin()
    watch = _watches[loop]
    watch.readers += 1
    try:
        yield watch
    finally:
        watch.readers -= 1
        if not watch.readers:
            del _watches[loop]
            await watch.end()


async def _in_thread(function: Callable[[], Any]) -> Any:
    def run() -> Any:
        try:
            return function()
        finally:
            connections.close_all()  # those of this thread

    return await sync_to_async(run, thread_sensitive=False)()


def _read(events: QuerySet[Event], since: int) -> list[Event]:
    """The next events; those that are not kept any more are left out, which the first answer has said."""
    feed.number_new()
    found = events.select_related("competition").filter(number__gt=since)
    return list(found.order_by("number")[:AT_ONCE])
