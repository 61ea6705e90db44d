"""The web server's process: uvicorn on a socket that the supervisor holds.

The supervisor listens on the socket before anything else is started, so a port in use is reported
immediately, and visitors only wait while this process is restarted. A byte on the second descriptor notifies
the supervisor that pages are served.

    python -m agon.supervisor.web LISTENING READY
"""

import asyncio
import fcntl
import os
import socket
import struct
import sys
import termios

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from agon.site.core import garbage

HEADERS_SECONDS = 30.0
READING_SECONDS = 30.0  # in which a reader takes at least SLOWEST_READER bytes a second of what waits
SLOWEST_READER = 1 << 10


class TimeoutProtocol(H11Protocol):
    """HTTP with timeouts for request headers, and for readers who do not take their answer.

    uvicorn would wait for both forever. agon.site.web.core.body_limit sees to bodies.
    """

    _timer: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _unread = 0  # bytes, when the reader was last judged

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that writing is paused while anything waits
        self._wait_for_headers()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_waiting()
        self._stop_watching()

    def _wait_for_headers(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADERS_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _watch_reader(self) -> None:
        self._unread = self._bytes_unread()
        self._reading = self.loop.call_later(READING_SECONDS, self._judge_reader)

    def _judge_reader(self) -> None:
        taken = self._unread - self._bytes_unread()
        if taken < READING_SECONDS * SLOWEST_READER:
            self.transport.abort()
        else:
            self._watch_reader()

    def _bytes_unread(self) -> int:
        """What waits here, and what the reader has not yet acknowledged to the kernel.

        The kernel takes more only once a third of its own queue is free: that may take a slow reader minutes.
        """
        queued = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        return int(self.transport.get_write_buffer_size() + struct.unpack("i", queued)[0])

    def _stop_watching(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _give_up(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE:
            self.transport.close()


class Server(uvicorn.Server):
    """Writes a byte to the descriptor `ready` once it serves."""

    ready: int

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        os.write(self.ready, b"\n")
        os.close(self.ready)


def main(listening: int, ready: int) -> None:
    config = uvicorn.Config(
        "agon.site.asgi:application",
        http=TimeoutProtocol,
        lifespan="on",
        access_log=False,
        proxy_headers=False,  # Django reads them if TRUSTED_PROXY_COUNT is set
        log_level="warning",
        log_config=None,  # Django's
        # Event streams never end by themselves.
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    server.ready = ready
    garbage.freeze_survivors()
    server.run(sockets=[socket.socket(fileno=listening)])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
