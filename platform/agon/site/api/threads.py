"""Asking the database from a coroutine, for answers that are sent after their view has ended."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections


async def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """The function's result, from a thread that keeps no connection."""

    def run() -> Any:
        try:
            return function(*args)
        finally:
            connections.close_all()  # those of this thread

    return await sync_to_async(run, thread_sensitive=False)()
