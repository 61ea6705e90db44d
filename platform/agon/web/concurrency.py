"""A request holds a database connection only while its view runs, and only so many views run at a time.

PostgreSQL allows a hundred connections. When a result changes a leaderboard, all its open pages ask for it at
once; so a web process runs AT_ONCE views at a time, and the other requests, which have been read, wait.
Django would close a request's connection when the response has been sent, which a slow reader can delay at
will, and a listener to a leaderboard delays for hours; so it is closed before that. (A stream that asks the
database for more opens another one.)
"""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections

AT_ONCE = 16

_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class LimitedASGIHandler(ASGIHandler):
    """Django calls get_response_async when a request has been read, and sends what it returns."""

    async def get_response_async(self, request: Any) -> Any:
        loop = asyncio.get_running_loop()  # one per web process
        async with _slots.setdefault(loop, asyncio.Semaphore(AT_ONCE)):
            try:
                return await super().get_response_async(request)
            finally:
                # In the request's thread, because connections are thread-local.
                await sync_to_async(connections.close_all)()
