"""The database's connections are few, and so a request has one for as long only as it is being answered.

PostgreSQL has a hundred. When a result changes a leaderboard, all its open pages ask for it at the same
moment; therefore a web process answers AT_ONCE requests at a time, and the others, which have been read, wait
for their turn. And Django closes a request's connection when its answer has been sent, which a slow reader
can delay as long as he likes, and one who listens to a leaderboard does for hours; so it is closed before.
(A stream that asks the database for more gets another one.)
"""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections

AT_ONCE = 16

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class Handler(ASGIHandler):
    """Django's, which calls this when a request has been read, and sends what it returns."""

    async def get_response_async(self, request: Any) -> Any:
        loop = asyncio.get_running_loop()  # one a web process
        async with _turns.setdefault(loop, asyncio.Semaphore(AT_ONCE)):
            try:
                return await super().get_response_async(request)
            finally:
                await sync_to_async(connections.close_all)()  # in the request's own thread, where they are
