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
- The task asks for the tokens of all readers every TOKENS_SECONDS. The streams of those that were revoked
  end.

Failure:
- The last RECENT events are kept in memory. A reader that is slower than that, or that comes with an older
  `since`, reads from the database again. If the task cannot read, nothing is sent but heartbeats; readers
  that begin again with their last id miss nothing.
"""

import asyncio
import functools
import itertools
import json
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from ninja.responses import NinjaJSONEncoder

from agon.site.events import feed
from agon.site.events.models import Event
from agon.site.tokens.services import no_longer_good
from agon.site.web.core.loop_watch import LoopWatch, watching
from agon.site.web.core.open_streams import Slot
from agon.site.web.core.threads import in_thread

POLL_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
TOKENS_SECONDS = 15.0
RECENT = 5000  # events
AT_ONCE = 200  # events read for one reader
JSON_LINES, SERVER_SENT = "application/x-ndjson", "text/event-stream"

Shape = Callable[[Event], dict[str, Any]]
Belongs = Callable[[Event], bool]

# Events are never changed, and so equal if their ids are.
_sent: WeakKeyDictionary[Event, dict[str, bytes]] = WeakKeyDictionary()

log = logging.getLogger(__name__)


def response(
    stored: QuerySet[Event],
    belongs: Belongs,
    since: int,
    shape: Shape,
    content_type: str,
    slot: Slot,
    token: int | None,
) -> StreamingHttpResponse:
    """The events of `stored` after `since`, and then those that `belongs` selects, as they happen.

    token: the key of the reader's, without which the stream ends; None for what everyone may read.
    """
    heartbeat = b"\n" if content_type == JSON_LINES else b": still here\n\n"
    encode = functools.partial(_encoded, shape, content_type)
    body = _body(stored, belongs, since, encode, heartbeat, slot, token)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type=content_type, headers=headers)


def _encoded(shape: Shape, content_type: str, event: Event) -> bytes:
    """An event as it is sent. It is kept as long as the event, since all readers get the same."""
    kept = _sent.setdefault(event, {})
    if content_type not in kept:
        encode = _line if content_type == JSON_LINES else _server_sent
        kept[content_type] = encode(shape(event))
    return kept[content_type]


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
    token: int | None,
) -> AsyncIterator[bytes]:
    try:
        yield heartbeat  # at once: the reader knows that it is connected
        async with watching(_watches, _made) as watch:
            with watch.with_token(token):
                while token not in watch.ended:
                    if since >= watch.oldest:
                        mine = [event for event in watch.after(since) if belongs(event)]
                        since = max(since, watch.newest)
                    else:
                        mine = await in_thread(_read, stored, since)
                        since = max([since, *(event.number or 0 for event in mine)])
                        if len(mine) < AT_ONCE:
                            since = max(since, watch.oldest)
                    for event in mine:
                        yield encode(event)
                    is_news = functools.partial(watch.has_news, since, token)
                    if not mine and not await watch.until(is_news, HEARTBEAT_SECONDS):
                        yield heartbeat
    finally:
        slot.release()


class Watch(LoopWatch):
    """Reads new events. recent: those after the number `oldest` up to `newest`.

    ended: the tokens, by their keys, that are no longer good.
    """

    def __init__(self, newest: int) -> None:
        super().__init__()
        self.oldest = self.newest = newest
        self.recent: deque[Event] = deque()
        self.ended: set[int | None] = set()
        self._tokens = Counter[int]()
        self._asked = time.monotonic()

    def has_news(self, number: int, token: int | None) -> bool:
        """Whether there is an event with a larger number, or the token has ended."""
        return self.newest > number or token in self.ended

    @contextmanager
    def with_token(self, token: int | None) -> Iterator[None]:
        """Watch the token, too, until the end of the block."""
        if token is None:
            yield
            return
        self._tokens[token] += 1
        try:
            yield
        finally:
            self._tokens[token] -= 1
            self._tokens += Counter()  # without those that nothing uses

    def after(self, number: int) -> list[Event]:
        """The recent events with a larger number, in order; few of many, so the search begins at the end."""
        events = list(itertools.takewhile(lambda event: (event.number or 0) > number, reversed(self.recent)))
        return events[::-1]

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                new = await in_thread(_read, Event.objects.all(), self.newest)
                ended = await self._ask_for_tokens()
            except Exception:  # whatever it is, it is tried again
                log.exception("events could not be read")
                continue
            if new:
                self._keep(new)
            if new or ended:
                self._notify()

    async def _ask_for_tokens(self) -> bool:
        """Whether one of them has ended, if it is time to ask."""
        if self._tokens and time.monotonic() > self._asked + TOKENS_SECONDS:
            self.ended = {*await in_thread(no_longer_good, list(self._tokens))}
            self._asked = time.monotonic()
            return bool(self.ended)
        return False

    def _keep(self, new: list[Event]) -> None:
        self.recent += new
        self.newest = new[-1].number or self.newest
        while len(self.recent) > RECENT:
            self.oldest = self.recent.popleft().number or self.oldest


_watches: dict[asyncio.AbstractEventLoop, Watch] = {}


async def _made() -> Watch:
    return Watch(await in_thread(feed.last_number))


def _read(events: QuerySet[Event], since: int) -> list[Event]:
    """The next events; those that are not kept any more are left out, which the first answer has said."""
    feed.number_new()
    later = events.select_related("competition").filter(number__gt=since)
    return list(later.order_by("number")[:AT_ONCE])
