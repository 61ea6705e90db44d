"""A request holds a database connection only while its view runs, and only so many views run at a time.

PostgreSQL allows a hundred connections. When a result changes a leaderboard, all its open pages ask for it at
once; so a web process runs AT_ONCE views at a time, OF_ADDRESS of them for one address, and the other
requests, which have been read, wait. So an address that sends hundreds of requests waits for itself; others
find a free place.
A request that may change something runs to its end, even if the reader has left meanwhile: Django would
abandon it where it stands, and the same form sent again would find no answer
(agon.site.web.core.sent_once).
A stream keeps no thread: thousands of them are open for hours.
Django would close a request's connection when the response has been sent, which a slow reader can delay at
will, and a listener to a leaderboard delays for hours; so it is closed before that. (A stream that asks the
database for more opens another one.)
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from asgiref.sync import SyncToAsync, ThreadSensitiveContext, sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler
from django.db import connections

from agon.site.core.addresses import address_of

AT_ONCE = 16
OF_ADDRESS = 4


class Places:
    """The views that run at a time, in one event loop."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(AT_ONCE)
        self._of_address: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def one(self, address: str) -> AsyncIterator[None]:
        """Wait for one of the places of the address, and only then for one of all."""
        of_address = self._of_address.setdefault(address, asyncio.Semaphore(OF_ADDRESS))
        async with of_address, self._all:
            yield


SAFE = {"GET", "HEAD", "OPTIONS"}
_running: set[asyncio.Task[Any]] = set()
_places: WeakKeyDictionary[asyncio.AbstractEventLoop, Places] = WeakKeyDictionary()


class LimitedASGIHandler(ASGIHandler):
    """Django calls get_response_async when a request has been read, and sends what it returns."""

    async def get_response_async(self, request: Any) -> Any:
        if request.method in SAFE:
            return await self._respond(request)
        # In a context of its own, because that of the request ends with it, and with it its thread.
        task = asyncio.create_task(self._to_the_end(request), context=Context())
        _running.add(task)
        task.add_done_callback(_running.discard)
        return await asyncio.shield(task)

    async def listen_for_disconnect(self, receive: Any) -> None:
        """As Django's, without its exception: when the server stops, no one asks for that of an open stream,
        and asyncio logs it as an error.
        """
        with suppress(RequestAborted):
            await super().listen_for_disconnect(receive)

    async def _to_the_end(self, request: Any) -> Any:
        async with ThreadSensitiveContext():
            return await self._respond(request)

    async def _respond(self, request: Any) -> Any:
        places = _places.setdefault(asyncio.get_running_loop(), Places())  # one loop per web process
        async with places.one(address_of(request)):
            try:
                response = await super().get_response_async(request)
            finally:
                # In the request's thread, because connections are thread-local.
                await sync_to_async(connections.close_all)()
        if response.streaming:
            _end_thread()
        return response


def _end_thread() -> None:
    """End the thread in which the view ran. The request would keep it as long as its response goes on.

    If the response asks for a thread again, it gets a new one.
    """
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context is not None else None
    if executor is not None:
        executor.shutdown(wait=False)
