"""Docker, for a worker that asks `opener.py` for its boxes: see there."""

import json
import os
import socket
from contextlib import suppress
from typing import Any

from sandbox.api import CORE, LanguageMissing, Limits, SandboxError
from sandbox.backends.containers import PATH, Containers
from sandbox.boxes import cgroup
from sandbox.boxes.blame import Death

_SECONDS = 60.0  # for an answer: a container may take half of it to start
_MOST_BYTES = 1 << 16
_MOST_DESCRIPTORS = 4


class Opened(Containers):
    """Implements sandbox.api.Sandbox. path: of the opener's socket."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.image(CORE)

    def image(self, family: str) -> str:
        with connect(self.path) as opener:
            answer, _ = ask(opener, {"image": family})
        return str(answer["image"])

    def host(self, family: str, limits: Limits, size: int) -> "OpenedHost":
        return OpenedHost(self.path, family, limits, size)

    def remove_leftovers(self) -> None:
        with connect(self.path) as opener:
            ask(opener, {"sweep": True})

    def close(self) -> None:
        pass


class OpenedHost:
    """One container. Implements sandbox.boxes.agent_link.AgentHost."""

    uids = True
    memory_counted = True
    counts: dict[str, int] = {}  # the agent finds them inside
    path = PATH

    def __init__(self, path: str, family: str, limits: Limits, size: int) -> None:
        wanted = {
            "family": family,
            "memory_mib": limits.memory_mib,
            "processes": limits.processes,
            "work_mib": limits.work_mib,
            "size": size,
            "processors": sorted(os.sched_getaffinity(0)),
        }
        self._opener = connect(path)
        try:
            answer, descriptors = ask(self._opener, {"open": wanted})
        except SandboxError:
            self._opener.close()
            raise
        self.control = socket.socket(fileno=descriptors[0])
        self.control.setblocking(True)
        cpu = descriptors[1] if answer["cpu"] else -1
        self.pressure = cgroup.PressureFiles.of(cpu, descriptors[2 if answer["cpu"] else 1 :])

    def destroy(self) -> None:
        self.pressure.close()
        with suppress(OSError):
            self._opener.shutdown(socket.SHUT_WR)
            self._opener.recv(1)  # which ends when the container is removed
        self._opener.close()

    def failure_detail(self) -> str:
        return ""

    def death(self) -> Death:
        try:
            answer, _ = ask(self._opener, {"death": True})
        except SandboxError as error:
            return Death(None, False, str(error))
        return Death(*answer["death"])


def connect(path: str) -> socket.socket:
    """Raises SandboxError."""
    opener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    opener.settimeout(_SECONDS)
    try:
        opener.connect(path)
    except OSError as error:
        opener.close()
        raise SandboxError(f"no opener of boxes answers at {path}: {error.strerror or error}") from error
    return opener


def ask(opener: socket.socket, question: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """The answer, and the descriptors that came with it. Raises SandboxError."""
    try:
        opener.send(json.dumps(question).encode())
        data, descriptors, _, _ = socket.recv_fds(opener, _MOST_BYTES, _MOST_DESCRIPTORS)
    except OSError as error:
        raise SandboxError(f"the opener of boxes does not answer: {error}") from error
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    if not data:
        raise SandboxError("the opener of boxes has gone, or has no room for another one")
    answer = json.loads(data)
    if "error" in answer:
        raise (LanguageMissing if answer["missing"] else SandboxError)(answer["error"])
    return answer, descriptors
