"""The agent: PID 1 of a box. Prepares it once, then forks a keeper for every session.

Theory of operation. The agent holds one end of the box's control socket (bubblewrap: inherited;
Docker: connected by it through a folder that is mounted for that); the referee holds the other. The
first message, `open`, carries all that the box will ever know: limits, command, system call filter
and the bot's files. The agent writes the files, warms the interpreter and answers. From then on
`session` brings the end of a new socket, for which it forks a keeper (keeper.py) that the referee
talks to directly; nothing is relayed, and nothing is answered here. `reap` asks how the last keeper
ended and makes sure that it and all its bots are gone.

The agent itself never runs a bot's code and never reads what a bot writes. It must be gone when the
worker is: it exits if the control socket closes, and also if the worker's process ends while
somebody else still holds a copy of that socket (it got a descriptor of that process to watch). PID 1
of a pid namespace takes everything with it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time

from . import bundle, keeper, kernel, room, uids, warm, wire
from .setup import FILES, SHM, Setup

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SMALL = 256 << 10  # files up to this size are copied into each work folder, larger ones linked
_PATIENCE = 5.0


def main() -> NoReturn:
    control = _connect(sys.argv[1])
    _quiet_signals()
    try:
        Agent(control).serve()
    except wire.Closed:
        os._exit(0)
    except Exception as error:
        wire.send(control, {"broken": f"the agent failed: {wire.explain(error)}"})
    finally:
        os._exit(1)


def _connect(where: str) -> socket.socket:
    if where.isdigit():
        control = socket.socket(fileno=int(where))
        control.set_inheritable(False)
        return control
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(where)
    return control


def _quiet_signals() -> None:
    """As PID 1 the agent gets only signals that it handles: let it handle none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.umask(0o022)


class Agent:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.keeper = 0  # pid of the last keeper, 0 once it has been reaped
        self.status = 0  # how it ended

    def serve(self) -> None:
        fields, program, fds = wire.receive(self.control)
        self.setup, self.worker = self._open(fields, program, fds)
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.worker, select.POLLIN)
        wire.send(self.control, {"python": sys.version.split()[0], "warm": self.setup.python is not None})
        while True:
            for fd, _ in poll.poll():
                if fd == self.worker:
                    raise wire.Closed("the worker has ended")
            fields, _, fds = wire.receive(self.control)
            if fields["op"] == "session":
                self._session(socket.socket(fileno=fds[0]))
            elif fields["op"] == "reap":
                gone = self._gone(fields["seconds"])
                wire.send(self.control, {"gone": gone, "status": self.status, "oom": self.setup.oom_kills()})

    def _session(self, sock: socket.socket) -> None:
        with sock:
            try:
                if not self._gone(_PATIENCE):
                    raise TimeoutError("the session before will not end")
                self.keeper = os.fork() if self.setup.uids else kernel.fork_into_pid_namespace()
            except OSError as error:
                wire.send(sock, {"broken": f"a session could not be started: {error}"})
                return
            if self.keeper == 0:
                self.control.close()
                os.close(self.worker)
                if self.setup.uids:
                    kernel.adopt_orphans()
                keeper.main(sock, self.setup)

    def _gone(self, seconds: float) -> bool:
        """Wait for the last keeper's end, then end and reap whatever is left in the box."""
        deadline = time.monotonic() + seconds
        while self.keeper:
            pid, status = os.waitpid(self.keeper, os.WNOHANG)
            if pid:
                self.keeper, self.status = 0, status
            elif time.monotonic() > deadline:
                return False
            else:
                self._await_child(deadline)
        return not self.setup.uids or _all_reaped(deadline)

    def _await_child(self, deadline: float) -> None:
        pidfd = os.pidfd_open(self.keeper)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        os.close(pidfd)

    def _open(self, fields: dict[str, Any], program: bytes, fds: list[int]) -> tuple[Setup, int]:
        """Prepare the box from the first message. Descriptors: the files, the worker, the count of kills."""
        worker = fds[1]
        setup = Setup(fields, program)
        setup.oom = fds[-1] if len(fds) == 3 else _own_oom_count()
        with open(fds[0], "rb") as files:
            names = bundle.unpack(files, FILES, most_files=100_000, most_bytes=1 << 32)
        os.environ.clear()
        os.environ.update(setup.environment)
        if setup.uids:
            os.setgroups([])
            _own_devices()
        else:
            kernel.bound_capabilities()
            kernel.dumpable(False)
            _close_files()
        for path, executable, size in names:
            _place(setup, path, executable, size)
        if setup.python is not None:
            self._warm_up(setup, setup.python)
        warm.settle()
        return setup, worker

    def _warm_up(self, setup: Setup, entry: str) -> None:
        sources = {name: data for name, _, data in setup.small if name.endswith(".py")}
        own = {name.removesuffix(".py") for name in sources} | set(setup.linked)
        warm.preload(sources)
        if entry not in sources or own & set(sys.modules):
            # A module of the bot's would be hidden by one that is loaded here: start Python afresh.
            setup.python = None
            return
        setup.code = _compile_confined(setup, sources[entry], entry)


def _place(setup: Setup, path: str, executable: bool, size: int) -> None:
    if "/" in path:
        return
    if size < 0 or size > _SMALL:
        setup.linked.append(path)
        return
    with open(f"{FILES}/{path}", "rb") as file:
        setup.small.append((path, 0o700 if executable else 0o600, file.read()))


def _close_files() -> None:
    """Nobody is to write to the bot's files from here on."""
    kernel.unshare(kernel.CLONE_NEWNS)
    flags = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", FILES, "", flags)


def _own_devices() -> None:
    """Shared memory is to be in /box like everything that a bot can write."""
    if not os.path.lexists("/dev/shm"):
        os.symlink(SHM, "/dev/shm")


def _own_oom_count() -> int:
    """Inside a container the count is found here, if anywhere."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
    return -1


def _compile_confined(setup: Setup, source: bytes, entry: str) -> bytes | None:
    """Compile the entry file in a confined process; None if that fails (the bot will fail likewise)."""
    reading, writing = os.pipe()
    child = os.fork() if setup.uids else kernel.fork_into_pid_namespace()
    if child == 0:
        try:
            room.confine(setup, uids.fresh() if setup.uids else None, for_good=True)
            with open(writing, "wb") as out:
                out.write(warm.compiled(source, entry))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as result:
        code = _read_within(result.fileno(), _PATIENCE)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return code or None


def _read_within(fd: int, seconds: float) -> bytes:
    """All that comes until the end; nothing if that takes longer or is absurdly long."""
    deadline = time.monotonic() + seconds
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    parts: list[bytes] = []
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        part = os.read(fd, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
        if sum(map(len, parts)) > 64 << 20:
            break
    return b""


def kill_everything() -> None:
    """End every process of the box but PID 1 and the caller, whom kill(2) spares."""
    try:  # noqa: SIM105 (contextlib is not loaded here)
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _all_reaped(deadline: float) -> bool:
    """End and reap every other process of the container; False if one will not go."""
    while True:
        kill_everything()
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
