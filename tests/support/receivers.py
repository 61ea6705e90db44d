"""Receivers of webhooks on this machine, each in a thread: real servers with real sockets."""

import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Receiver:
    """Keeps what arrives. status: its next answers. hangs: it never answers. headers: of its answers."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.headers: dict[str, str] = {}
        self.hangs = False
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.ended = threading.Event()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    @property
    def taken(self) -> list[int]:
        """The ids of the events that arrived, in order."""
        return [json.loads(body)["id"] for _headers, body in self.requests]

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(receiver: Receiver) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if receiver.hangs:
                self._drip()
                return
            if 200 <= receiver.status < 300:  # before the answer, after which the next one may come
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.requests.append((headers, body))
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _drip(self) -> None:
            """A header now and then: never silent for long, and never at its end."""
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                end = time.monotonic() + 60
                while not receiver.ended.wait(0.1) and time.monotonic() < end:
                    self.wfile.write(b"X-More: 1\r\n")
            except OSError:
                pass  # the site has ended it

        def log_message(self, *_args: Any) -> None:
            pass

    return Handler


@contextmanager
def receiving(*statuses: int) -> Iterator[list[Receiver]]:
    """Receivers that answer with these statuses."""
    receivers = [Receiver(status) for status in statuses]
    try:
        yield receivers
    finally:
        for receiver in receivers:
            receiver.close()
