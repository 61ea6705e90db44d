"""The web server's process: uvicorn on a socket that the supervisor holds.

The supervisor listens on the socket before anything else is started: a port in use is found at once, and
visitors only wait while this process is started again. A byte on the second descriptor tells it that pages
are served.

    python -m agon.embedded.web LISTENING READY
"""

import os
import socket
import sys

import uvicorn


class Server(uvicorn.Server):
    ready: int

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        os.write(self.ready, b"\n")
        os.close(self.ready)


def main(listening: int, ready: int) -> None:
    config = uvicorn.Config(
        "agon.asgi:application",
        lifespan="off",
        access_log=False,
        proxy_headers=False,  # Django looks at them, if TRUSTED_PROXY_COUNT says so
        log_level="warning",
        # Pages that listen for events never end by themselves.
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    server.ready = ready
    server.run(sockets=[socket.socket(fileno=listening)])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
