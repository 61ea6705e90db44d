"""A task that watches the database while someone listens: one per event loop, and thus per web process."""

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

Found = TypeVar("Found", bound="LoopWatch")
Watches = dict[asyncio.AbstractEventLoop, Found]


class LoopWatch(ABC):
    """Subclasses watch in `_poll`, which runs while there are listeners.

    Each listener waits for a future of its own: one that all share would be searched for the listener that
    stops waiting, and ten thousand do so every few seconds. Tasks and locks would cost more.
    """

    def __init__(self) -> None:
        self.listeners = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.create_task(self._poll())

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def until(self, is_news: Callable[[], bool], seconds: float) -> bool:
        """Wait until it is so, and say whether that was within `seconds`."""
        end = time.monotonic() + seconds
        while not is_news():
            left = end - time.monotonic()
            if left <= 0:
                return False
            news = asyncio.get_running_loop().create_future()
            self._waiting.add(news)
            try:
                await asyncio.wait([news], timeout=left)
            finally:
                self._waiting.discard(news)
        return True

    @abstractmethod
    async def _poll(self) -> None:
        """Read what is new, again and again, and `_notify`."""

    def _notify(self) -> None:
        """Let all listeners look."""
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            future.set_result(None)


@contextlib.asynccontextmanager
async def watching(watches: Watches[Found], make: Callable[[], Awaitable[Found]]) -> AsyncIterator[Found]:
    """The watch of this event loop: started for the first listener, stopped with the last."""
    loop = asyncio.get_running_loop()
    if loop not in watches:
        made = await make()
        if loop not in watches:  # another listener may have begun meanwhile
            watches[loop] = made
            made.begin()
    watch = watches[loop]
    watch.listeners += 1
    try:
        yield watch
    finally:
        watch.listeners -= 1
        if not watch.listeners:
            del watches[loop]
            await watch.end()
