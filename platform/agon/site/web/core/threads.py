"""Asking the database from a coroutine, before a view or after it has ended."""

from collections.abc import Callable
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *args: object) -> Result:
    """The function's result, from a thread that keeps no connection."""

    def run() -> Result:
        try:
            return function(*args)
        finally:
            connections.close_all()  # those of this thread

    return await sync_to_async(run, thread_sensitive=False)()
