"""The Docker backend: a warm container for each box.

Theory of operation.

Processes:
- A container for each box, made from the image of its language's family, with nothing but what the agent
  needs: no network, a read-only root, two tmpfs mounts, no capabilities except those to change uid and gid
  and to kill, no new privileges, limits on memory and processes, and a system call filter.
- PID 1 in it is the agent. Bots are started under a uid that is used only once (inside/workspace.py).

Pipes:
- The worker listens on a socket in a fresh folder that is mounted into the container, and the agent connects.
  The worker removes socket and folder before anything else happens.

Trust:
- The worker checks that what connects is the container's first process.

Failure:
- A container ends when its agent does, that is, when the worker closes its socket or dies. The engine then
  removes it. An engine that is stopped kills its containers; one that is killed leaves them running until it
  is started again.
- What an engine leaves behind for good (a container that was created but never started, for example) is
  removed by remove_leftovers(): the label of each container names its worker, so those of dead workers are
  known; and its name is chosen here, so a worker knows those that it could not remove itself.
"""

import itertools
import os
import socket
import struct
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from docker.errors import APIError, DockerException, ImageNotFound, NotFound  # type: ignore[import-untyped]
from docker.types import LogConfig  # type: ignore[import-untyped]

from sandbox.api import CORE, LanguageMissing, Limits, SandboxError
from sandbox.backends import docker_images, seccomp
from sandbox.backends.containers import PATH, Containers
from sandbox.backends.docker_socket import check_socket
from sandbox.boxes import box_size, cgroup, disk
from sandbox.boxes.blame import Death
from sandbox.leftovers import alive, own_folder, remove_leftover_folders, this_process

_LABEL = "agon.sandbox.owner"
_BOOT = "import sys; sys.path.insert(0, '/agent'); from inside import agent; agent.main()"
_CONNECT_SECONDS = 30.0
_DEATH_SECONDS = 5  # for the engine to report the events of a container that has ended
_SIGKILL_STATUS = "137"  # the status that the engine reports after SIGKILL
_NOT_FOUND = 404  # the HTTP status for a container that does not exist
_numbers = itertools.count(1)


class Docker(Containers):
    """Implements sandbox.api.Sandbox.

    Sockets are made below the folder AGON_SANDBOX_SOCKETS (default: the temporary folder), which
    must have the same path for this process and for the engine.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sockets = Path(os.environ.get("AGON_SANDBOX_SOCKETS", tempfile.gettempdir()))
        self.disk_bound = disk.engine_settings()  # empty if the engine does not know this machine's disks
        self._unremoved: set[str] = set()  # names of containers that could not be removed
        self.client = docker_images.connect()
        try:
            self.image(CORE)
            self.remove_leftovers()
        except SandboxError:
            self.client.close()
            raise

    def image(self, family: str) -> str:
        identity = docker_images.identity(self.client, family)
        if identity is None:
            raise LanguageMissing(docker_images.how_to_build(family))
        return f"{docker_images.tag(family)} {identity}"

    def host(self, family: str, limits: Limits, size: int) -> "ContainerHost":
        return ContainerHost(self, family, limits, size, sorted(os.sched_getaffinity(0)))

    def remove_leftovers(self) -> None:
        """Remove what dead workers left, and containers that this worker could not remove before."""
        check_socket()
        for name in tuple(self._unremoved):
            self.remove(name)
        try:
            containers = self.client.containers.list(all=True, filters={"label": _LABEL}, ignore_removed=True)
        except (DockerException, OSError) as error:
            raise SandboxError(f"the Docker engine fails: {error}") from error
        for container in containers:
            if not alive(container.labels[_LABEL]):
                self.remove(container.id)
        remove_leftover_folders(self.sockets)

    def remove(self, name: str) -> None:
        """Remove a container, running or not. If that fails, remove_leftovers() tries again."""
        self._unremoved.add(name)
        try:
            check_socket()
            self.client.api.remove_container(name, force=True)
        except APIError as error:
            if error.status_code != _NOT_FOUND:  # 409: the engine is removing it already
                return
        except (DockerException, OSError, SandboxError):
            return
        self._unremoved.discard(name)

    def close(self) -> None:
        for name in tuple(self._unremoved):  # the engine may be back by now
            self.remove(name)
        self.client.close()


class ContainerHost:
    """One container. Implements sandbox.boxes.agent_link.AgentHost."""

    uids = True
    memory_counted = True
    counts: dict[str, int] = {}  # the agent finds them inside
    path = PATH

    def __init__(
        self, backend: Docker, family: str, limits: Limits, size: int, processors: Sequence[int]
    ) -> None:
        """processors: those that it may run on."""
        self.backend = backend
        self.name = f"agon-{this_process()}-{next(_numbers)}"
        self.processors = processors
        self.pressure = cgroup.PressureFiles(None)  # until the container runs
        try:
            with own_folder(backend.sockets) as folder:
                self._start(folder, _settings(folder, family, limits, size, processors))
        except ImageNotFound as error:
            raise LanguageMissing(docker_images.how_to_build(family)) from error
        except (DockerException, OSError) as error:
            self.destroy()
            raise SandboxError(f"a container could not be started: {error}") from error
        except SandboxError:
            self.destroy()
            raise

    def _start(self, folder: Path, settings: dict[str, Any]) -> None:
        folder.chmod(0o711)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(folder / "s"))
            os.chmod(folder / "s", 0o666)
            listener.listen(1)
            try:
                self._run(settings | self.backend.disk_bound)
            except APIError as error:
                if "/dev/" not in str(error.explanation) or not self.backend.disk_bound:
                    raise
                self.backend.disk_bound = {}
                self.backend.remove(self.name)
                self._run(settings)
            self.control = self._accept(listener)

    def _run(self, settings: dict[str, Any]) -> None:
        self.container = self.backend.client.containers.create(name=self.name, **settings)
        self.container.start()

    def _accept(self, listener: socket.socket) -> socket.socket:
        deadline = time.monotonic() + _CONNECT_SECONDS
        listener.settimeout(0.5)
        while True:
            try:
                connection, _ = listener.accept()
                break
            except TimeoutError:
                self._check_running()
                if time.monotonic() > deadline:
                    raise SandboxError("the agent in the container did not connect") from None
        connection.setblocking(True)
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        pid, _, _ = struct.unpack("3i", peer)
        self._check_running()
        # 0: the container is not below this process's pid namespace (the worker runs in a container itself)
        if pid not in (0, self.container.attrs["State"]["Pid"]):
            connection.close()
            raise SandboxError(f"process {pid} connected instead of the container's agent")
        if pid:
            self.pressure = cgroup.PressureFiles(cgroup.pressure_of(pid), len(self.processors))
        return connection

    def _check_running(self) -> None:
        try:
            self.container.reload()
        except NotFound:
            raise SandboxError("the container ended before its agent connected") from None
        if self.container.status not in ("created", "running"):
            raise SandboxError(f"the container is {self.container.status}")

    def destroy(self) -> None:
        self.pressure.close()
        self.backend.remove(self.name)

    def failure_detail(self) -> str:
        return ""

    def death(self) -> Death:
        """What the engine has reported. It watches the container's control group, and kills on request."""
        statuses: dict[str, str] = {}  # exit status by action
        try:
            check_socket()
            for event in self._events():
                statuses.setdefault(event["Action"], event["Actor"]["Attributes"].get("exitCode", ""))
                if "oom" in statuses or (
                    "die" in statuses and (statuses["die"] != _SIGKILL_STATUS or "kill" in statuses)
                ):
                    break  # otherwise lack of memory may still be reported, after the end of the container
            running = "die" not in statuses and self._is_running()
        except (DockerException, OSError, SandboxError) as error:
            return Death(None, "oom" in statuses, f"the Docker engine fails: {error}")
        status = int(statuses.get("die") or 0)
        exit_ = 128 - status if status > 128 else status
        return Death(None if running else exit_, "oom" in statuses, _ended_by_others(statuses, running))

    def _events(self) -> Iterator[dict[str, Any]]:
        """The events of this container, including those of the next few seconds."""
        return self.backend.client.api.events(  # type: ignore[no-any-return]
            since=int(time.time()) - 3600,  # the engine keeps the last few hundred
            until=int(time.time()) + _DEATH_SECONDS,
            filters={"container": self.name, "event": ["oom", "die", "kill"]},
            decode=True,
        )

    def _is_running(self) -> bool:
        try:
            self.container.reload()
        except NotFound:
            return False
        return bool(self.container.status == "running")


def _ended_by_others(actions: Collection[str], running: bool) -> str:
    if "kill" in actions:
        return "the engine was asked to kill the container"
    return "" if running or "die" in actions else "the engine has lost the container"


def _settings(
    folder: Path, family: str, limits: Limits, size: int, processors: Sequence[int]
) -> dict[str, Any]:
    memory = box_size.memory_bytes(limits, size)
    return {
        "image": docker_images.tag(family),
        "command": ["python3", "-s", "-S", "-B", "-P", "-c", _BOOT, "/sock/s"],
        "user": "0:0",
        "working_dir": "/",
        "hostname": "box",
        "environment": {"PYTHONHASHSEED": "0"},
        "network_mode": "none",
        # The engine prepares nothing in the namespace that it makes: a third of the cost of a container.
        "network_disabled": True,
        "ipc_mode": "none",
        "read_only": True,
        "tmpfs": {
            "/box": f"rw,exec,nosuid,nodev,noatime,mode=1777,nr_inodes=4096,size={limits.work_mib << 20}",
            "/bot": f"rw,exec,nosuid,nodev,noatime,mode=0755,size={size + (1 << 20)}",
        },
        "volumes": {str(folder): {"bind": "/sock", "mode": "ro"}},
        "cap_drop": ["ALL"],
        "cap_add": ["SETUID", "SETGID", "KILL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={seccomp.docker_profile()}"],
        "mem_limit": memory,
        "memswap_limit": memory,
        "pids_limit": box_size.processes(limits),
        "cpu_shares": cgroup.SHARES,  # of all processes of the box together
        "cpuset_cpus": _pinned(processors),
        "log_config": LogConfig(type="none"),
        "labels": {_LABEL: this_process()},
        "stop_signal": "SIGKILL",  # the agent ignores all others, and an engine that stops need not wait
        "auto_remove": True,
        "init": False,
    }


def _pinned(processors: Sequence[int]) -> str | None:
    """The processors that the match stays on, as its worker does; None: any."""
    return None if len(processors) == os.cpu_count() else ",".join(map(str, processors))
