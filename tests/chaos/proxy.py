"""A TCP proxy whose network can be cut: connections are refused, or nothing gets through any more."""

import asyncio
import threading
from contextlib import suppress


class Proxy:
    """Forwards `port` of this machine to `target`. Its thread has an event loop of its own.

    is_cut: what is open is closed, and new connections are closed at once. is_stalled: packets get lost;
    nobody is told.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.is_cut = self.is_stalled = False
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    async def _listen(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def cut(self) -> None:
        self.is_cut = True
        self._loop.call_soon_threadsafe(self._close_all)

    def stall(self) -> None:
        self.is_stalled = True

    def heal(self) -> None:
        """Let everything through again. What was stalled is lost: it is closed, as a firewall's table
        forgets it.
        """
        if self.is_stalled:
            self._loop.call_soon_threadsafe(self._close_all)
        self.is_cut = self.is_stalled = False

    def _close_all(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.transport.abort()
            return
        self._open.add(writer)
        further: asyncio.StreamWriter | None = None
        try:
            with suppress(OSError):
                answers, further = await asyncio.open_connection("127.0.0.1", self.target)
                self._open.add(further)
                ways = [
                    asyncio.create_task(self._pump(reader, further)),
                    asyncio.create_task(self._pump(answers, writer)),
                ]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
        finally:
            for stream in (writer, further):
                if stream is not None:
                    self._open.discard(stream)
                    stream.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                while self.is_stalled:
                    await asyncio.sleep(0.1)
                target.write(data)
                await target.drain()
