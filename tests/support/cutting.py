"""A proxy in front of a site that cuts connections: the request has arrived, its answer is lost."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType


class Cutting:
    """Passes bytes on to `port` of this machine. is_lost(number): whether the answer that begins now, the
    number-th one, is lost with its connection.
    """

    def __init__(self, port: int, is_lost: Callable[[int], bool]) -> None:
        self._target, self._is_lost = port, is_lost
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.lost = 0
        self._answers = 0
        self._lock = threading.Lock()

    def __enter__(self) -> "Cutting":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _address = self._listening.accept()
                threading.Thread(target=self._serve, args=[near], daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with near, suppress(OSError), socket.create_connection(("127.0.0.1", self._target)) as far:
            while request := near.recv(1 << 16):
                far.sendall(request)
                far.settimeout(0.05)  # the rest of the request may be on its way
                while True:
                    try:
                        answer = far.recv(1 << 16)
                        break
                    except TimeoutError:
                        near.settimeout(0.01)
                        with suppress(TimeoutError):
                            if not (more := near.recv(1 << 16)):
                                return
                            far.sendall(more)
                near.settimeout(None)
                if not answer or self._loses():
                    return
                near.sendall(answer)
                with suppress(TimeoutError):
                    while more := far.recv(1 << 16):
                        near.sendall(more)

    def _loses(self) -> bool:
        with self._lock:
            self._answers += 1
            if lost := self._is_lost(self._answers):
                self.lost += 1
            return lost
