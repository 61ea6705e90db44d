"""Opens boxes for workers, which then hold neither the engine's socket nor process ids of the host.

    python -m sandbox.backends.opener SOCKET

Theory of operation.

Processes:
- One of these for each engine. It alone may use the engine, which is as good as root.

Pipes:
- A worker makes one connection for each box. It asks for a family, limits and a size, and gets the agent's
  socket and the open pressure files of the box. The box lives as long as the connection, so a worker that
  dies leaves none.

Trust:
- A worker is not trusted. What it may ask for is in `Ask`, is checked, and is bounded; the image, the mounts,
  the capabilities and the system call filter of a container are chosen here. No path and no name of a worker
  gets to the engine. Any process that can connect may open boxes, so the socket's folder is for workers only.

Failure:
- What fails is an answer with the reason, and a SandboxError for the worker. If this process ends, boxes go
  on, but it is not known any more why one ended: that is the platform's failure.
"""

import json
import logging
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

from sandbox.api import LanguageMissing, Limits, SandboxError
from sandbox.backends.docker import ContainerHost, Docker
from sandbox.languages.registry import families

MOST_BOXES = 256
MOST_BYTES = 4096  # of a message
MOST_PER_BOX = {"memory_mib": 8192, "processes": 1024, "work_mib": 8192, "size": 8 << 30}

log = logging.getLogger(__name__)


class BadAsk(Exception):
    """What a worker may not ask for; str(e) says why."""


class Ask(NamedTuple):
    """The box that a worker asks for. size: the bytes of the bot's files. processors: those it may run on."""

    family: str
    memory_mib: int
    processes: int
    work_mib: int
    size: int
    processors: tuple[int, ...]

    @classmethod
    def read(cls, asked: Any) -> "Ask":
        """Raises BadAsk."""
        if not isinstance(asked, dict) or asked.keys() != set(cls._fields):
            raise BadAsk(f"expected {', '.join(cls._fields)}")
        for name, most in MOST_PER_BOX.items():
            if type(asked[name]) is not int or not 0 <= asked[name] <= most:
                raise BadAsk(f"{name}: expected a whole number up to {most}")
        mine = os.sched_getaffinity(0)
        processors = asked["processors"]
        if not isinstance(processors, list) or not all(type(n) is int and n in mine for n in processors):
            raise BadAsk(f"processors: expected some of {sorted(mine)}")
        return cls(**asked | {"family": read_family(asked["family"]), "processors": tuple(processors)})

    @property
    def limits(self) -> Limits:
        return Limits(memory_mib=self.memory_mib, processes=self.processes, work_mib=self.work_mib)


def read_family(asked: Any) -> str:
    """Raises BadAsk."""
    if not isinstance(asked, str) or asked not in families():
        raise BadAsk("family: expected a family of languages")
    return asked


class Opener:
    """Serves workers on a socket."""

    def __init__(self, backend: Docker) -> None:
        self.backend = backend
        self._places = threading.BoundedSemaphore(MOST_BOXES)

    def serve(self, listener: socket.socket) -> None:
        """Serve each connection in a thread of its own. Returns when the listener is closed."""
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if not self._places.acquire(blocking=False):
                log.error("more than %d boxes were asked for", MOST_BOXES)
                connection.close()
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        host: ContainerHost | None = None
        try:
            while message := connection.recv(MOST_BYTES):
                answer, opened = self._answer(message, host)
                if opened is None:
                    connection.send(json.dumps(answer).encode())
                else:
                    host = opened
                    descriptors = [host.control.fileno(), *host.pressure.descriptors]
                    socket.send_fds(connection, [json.dumps(answer).encode()], descriptors)
                    host.control.close()  # it is the worker's: the agent ends when no one holds it any more
        except OSError as error:
            log.info("a worker has gone: %s", error)
        finally:
            if host is not None:
                host.control.close()
                host.destroy()
            connection.close()
            self._places.release()

    def _answer(
        self, message: bytes, host: ContainerHost | None
    ) -> tuple[dict[str, Any], ContainerHost | None]:
        """The answer to a message, and the box that was opened for it. host: the box of this connection."""
        try:
            match _read(message):
                case {"image": family}:
                    return {"image": self.backend.image(read_family(family))}, None
                case {"sweep": _}:
                    self.backend.remove_leftovers()
                    return {}, None
                case {"open": asked} if host is None:
                    opened = self._open(Ask.read(asked))
                    return {"cpu": opened.pressure.cpu >= 0}, opened
                case {"death": _} if host is not None:
                    return {"death": host.death()}, None
            raise BadAsk("expected image, sweep, open or death")
        except (SandboxError, BadAsk) as error:
            return {"error": str(error), "missing": isinstance(error, LanguageMissing)}, None

    def _open(self, ask: Ask) -> ContainerHost:
        return ContainerHost(self.backend, ask.family, ask.limits, ask.size, ask.processors)


def _read(message: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(message)
    except (ValueError, RecursionError):
        raise BadAsk("expected JSON") from None
    if not isinstance(asked, dict):
        raise BadAsk("expected an object")
    return asked


def main(path: Path) -> None:
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
    path.unlink(missing_ok=True)
    backend = Docker()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen(MOST_BOXES)
        log.info("boxes are opened at %s", path)
        Opener(backend).serve(listener)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
