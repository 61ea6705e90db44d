"""The Docker backend: a warm container for each box.

Theory of operation. A container is created from the sandbox image with nothing but what the agent
needs: no network, a read-only root, two tmpfs mounts, all capabilities dropped but those to change
uid and gid and to kill, no new privileges, limits on memory and processes, and a system call filter.
PID 1 in it is the agent. The worker listens on a socket in a fresh folder that is mounted into the
container; the agent connects; the worker checks that it is this container's first process, and
removes the socket and the folder before anything else happens. Bots are started by keepers under a
uid that is used once (see inside/room.py).

A container ends when its agent does, that is when the worker closes its socket or dies, and the
engine then removes it. What an engine that was restarted leaves behind is found by its label, which
names the worker, and removed by `sweep`.
"""

import contextlib
import os
import shutil
import socket
import struct
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from docker.errors import APIError, DockerException, NotFound  # type: ignore[import-untyped]
from docker.types import LogConfig  # type: ignore[import-untyped]

from sandbox import images, seccomp, throwaway
from sandbox.api import Artifact, BuildRun, Limits, SandboxError
from sandbox.box import Box, open_box
from sandbox.owners import alive, this_process

_LABEL = "agon.sandbox.owner"
_BOOT = "import sys; sys.path.insert(0, '/agent'); from inside import agent; agent.main()"
_OVERHEAD = 48 << 20  # bytes of memory for the agent and the keeper
_CONNECT_SECONDS = 30.0
_SOCKETS = "agon-sockets-"


class Docker:
    """Implements sandbox.api.Sandbox.

    Sockets are made below the folder AGON_SANDBOX_SOCKETS (default: the temporary folder), which
    must have the same path for this process and for the engine.
    """

    name = "docker"

    def __init__(self) -> None:
        try:
            self.filter = seccomp.program()
        except ValueError as error:
            raise SandboxError(str(error)) from error
        self.client = images.connect()
        if not images.present(self.client):
            self.client.close()
            raise SandboxError(f"the image {images.tag()} is not there: run python -m sandbox.images")
        self.sockets = os.environ.get("AGON_SANDBOX_SOCKETS", tempfile.gettempdir())

    def open(self, artifact: Artifact, limits: Limits) -> Box:
        return self._box(artifact.files, limits, artifact.command, artifact.python)

    def build(
        self, source: Path, steps: Sequence[Sequence[str]], limits: Limits, seconds: float, result: Path
    ) -> BuildRun:
        return throwaway.build(self._box(source, limits, (), None), steps, limits, seconds, result)

    def _box(self, files: Path, limits: Limits, command: Sequence[str], python: str | None) -> Box:
        den = _Den(self, limits, throwaway.size(files))
        return open_box(den, files, limits, self.filter, command, python)

    def close(self) -> None:
        self.client.close()


class _Den:
    """One container. See sandbox.box.Den."""

    uids = True
    memory_counted = True
    oom: int | None = None  # the agent finds it inside
    path = "/usr/local/bin:/usr/bin:/bin"

    def __init__(self, backend: Docker, limits: Limits, size: int) -> None:
        folder = Path(tempfile.mkdtemp(prefix=f"{_SOCKETS}{this_process()}-", dir=backend.sockets))
        self.container: Any = None
        try:
            folder.chmod(0o711)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                listener.bind(str(folder / "s"))
                os.chmod(folder / "s", 0o666)
                listener.listen(1)
                self.container = backend.client.containers.create(**_settings(folder, limits, size))
                self.container.start()
                self.control = self._accept(listener)
        except (DockerException, OSError) as error:
            self.destroy()
            raise SandboxError(f"a container could not be started: {error}") from error
        except SandboxError:
            self.destroy()
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _accept(self, listener: socket.socket) -> socket.socket:
        deadline = time.monotonic() + _CONNECT_SECONDS
        listener.settimeout(0.5)
        while True:
            try:
                connection, _ = listener.accept()
                break
            except TimeoutError:
                self._must_run()
                if time.monotonic() > deadline:
                    raise SandboxError("the agent in the container did not connect") from None
        connection.setblocking(True)
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        pid, _, _ = struct.unpack("3i", peer)
        self._must_run()
        # 0: the container is not below this process's pid namespace (a worker in a container itself)
        if pid not in (0, self.container.attrs["State"]["Pid"]):
            connection.close()
            raise SandboxError(f"process {pid} connected instead of the container's agent")
        return connection

    def _must_run(self) -> None:
        try:
            self.container.reload()
        except NotFound:
            raise SandboxError("the container ended before its agent connected") from None
        if self.container.status not in ("created", "running"):
            raise SandboxError(f"the container is {self.container.status}")

    def destroy(self) -> None:
        if self.container is not None:
            with contextlib.suppress(NotFound, APIError):  # 409: the engine is removing it already
                self.container.remove(force=True)

    def why(self) -> str:
        return ""


def _settings(folder: Path, limits: Limits, size: int) -> dict[str, Any]:
    memory = (limits.memory_mib << 20) + size + _OVERHEAD
    return {
        "image": images.tag(),
        "command": ["python3", "-s", "-S", "-B", "-P", "-c", _BOOT, "/sock/s"],
        "user": "0:0",
        "working_dir": "/",
        "hostname": "box",
        "environment": {"PYTHONHASHSEED": "0"},
        "network_mode": "none",
        "ipc_mode": "none",
        "read_only": True,
        "tmpfs": {
            "/box": f"rw,exec,nosuid,nodev,mode=1777,nr_inodes=4096,size={limits.work_mib << 20}",
            "/bot": f"rw,exec,nosuid,nodev,mode=0755,size={size + (1 << 20)}",
        },
        "volumes": {str(folder): {"bind": "/sock", "mode": "ro"}},
        "cap_drop": ["ALL"],
        "cap_add": ["SETUID", "SETGID", "KILL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={seccomp.docker_profile()}"],
        "mem_limit": memory,
        "memswap_limit": memory,
        "pids_limit": limits.processes + 4,
        "cpuset_cpus": _pinned(),
        "log_config": LogConfig(type="none"),
        "labels": {_LABEL: f"{socket.gethostname()}/{this_process()}"},
        "auto_remove": True,
        "init": False,
    }


def _pinned() -> str | None:
    """The processors this worker is pinned to, so that the match stays on them; None: any."""
    mine = os.sched_getaffinity(0)
    return None if len(mine) == os.cpu_count() else ",".join(map(str, sorted(mine)))


def sweep(owner_alive: Callable[[str], bool] | None = None) -> int:
    """Remove the containers and sockets of dead workers; how many containers.

    `owner_alive` is asked for each label "host/process". Without it, workers of this host are
    looked for in /proc, and those of other hosts are left alone.
    """
    client = images.connect()
    removed = 0
    try:
        for container in client.containers.list(all=True, filters={"label": _LABEL}, ignore_removed=True):
            owner = container.labels[_LABEL]
            if not (owner_alive(owner) if owner_alive else _on_this_host(owner)):
                with contextlib.suppress(NotFound, APIError):
                    container.remove(force=True)
                    removed += 1
    except DockerException as error:
        raise SandboxError(f"the Docker engine fails: {error}") from error
    finally:
        client.close()
    sweep_sockets(Path(os.environ.get("AGON_SANDBOX_SOCKETS", tempfile.gettempdir())))
    return removed


def _on_this_host(owner: str) -> bool:
    host, _, process = owner.partition("/")
    return host != socket.gethostname() or alive(process)


def sweep_sockets(folder: Path) -> None:
    for left in folder.glob(f"{_SOCKETS}*"):
        process = "-".join(left.name.removeprefix(_SOCKETS).split("-")[:3])
        if not alive(process):
            shutil.rmtree(left, ignore_errors=True)
