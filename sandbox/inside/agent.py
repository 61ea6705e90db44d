"""The agent: PID 1 of a box. Prepares the box once, then serves one session after another.

Theory of operation.

Processes:
- The agent. With uids (Docker) it is root in its container; with namespaces (bubblewrap) it has all
  capabilities of the box's own user namespace, which it needs to make the namespaces of sessions.
- The bots of the session (session.py, process_tree.py).
- A confined child that compiles a Python bot's entry file, once.

Pipes:
- The control socket, to the worker. Under bubblewrap it is inherited; in a container the agent connects to it
  in a folder that is mounted for that. The first message carries all that the agent will ever know about
  the box: a BoxSpec, the system call filters, the bot's files. The answer is the memory that the box takes,
  and whether the program that the bot's command names is missing.
- Later messages: `start` and `runs` begin a session and bring the socket on which it is served; `evidence`
  asks whether the session was ended from outside, and how many processes the kernel has killed for lack of
  memory.
- A descriptor of the worker's process, to notice its end.

Trust:
- The agent trusts the worker's messages. It never runs a bot's code, and if it forks bots it reads nothing
  that a bot has written, so a bot that is forked from it finds nothing of an earlier bot in its memory.

Failure:
- The agent exits if the control socket is closed, or if the worker's process has ended although some process
  still holds a copy of that socket. It is PID 1 of a pid namespace, so the kernel then ends every process of
  the box.
- An error of the agent is reported as `broken`, or as `outside` if a session was ended from outside; then it
  exits.
"""

from __future__ import annotations

import _socket
import os
import select
import signal
import sys
import time

from . import bundle, kernel, shared, uids, usage, warm, wire, workspace
from .process_tree import AgentNamespaces, EndedFromOutside
from .session import Session
from .setup import FILES, SHM, Setup

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SMALL = 256 << 10  # files up to this size are copied into each work folder, larger ones linked
_COPIED_SHARE = 4  # copied files fill at most a fourth of the work folder; the rest is linked
_PAGE = 4096
_COMPILE_SECONDS = 5.0


def main() -> NoReturn:
    control = _connect(sys.argv[1])
    _default_signals()
    try:
        Agent(control).serve()
    except wire.Closed:
        os._exit(0)
    except EndedFromOutside as error:
        wire.send(control, {"outside": str(error)})
    except Exception as error:
        wire.send(control, {"broken": f"the agent failed: {wire.explain(error)}"})
    finally:
        os._exit(1)


def _connect(where: str) -> _socket.socket:
    if where.isdigit():
        control = _socket.socket(fileno=int(where))
        os.set_inheritable(control.fileno(), False)
        return control
    control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    control.connect(where)
    return control


def _default_signals() -> None:
    """PID 1 of a namespace receives only signals that it has handlers for, so remove Python's handler."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.umask(0o022)


class Agent:
    def __init__(self, control: _socket.socket) -> None:
        self.control = control
        self.session: Session | None = None

    def serve(self) -> None:
        fields, filters, fds = wire.receive(self.control)
        self.setup, self.worker = self._open(fields, filters, fds)
        self.namespaces = None if self.setup.uids else AgentNamespaces(self.setup)
        self.poll = select.poll()
        self.poll.register(self.control, select.POLLIN)
        self.poll.register(self.worker, select.POLLIN)
        # What is missing is found before any bot has run here: later, a bot could have brought it about.
        missing = self.setup.missing_program()
        wire.send(self.control, {"kib": usage.own_kib(), "missing": missing})
        while True:
            ready = self.poll.poll(self.session.watch_ms if self.session else None)
            for fd, _ in ready:
                if fd == self.worker:
                    raise wire.Closed("the worker has ended")
                if fd == self.control.fileno():
                    self._serve_worker()
                elif self.session is not None and fd == self.session.sock.fileno():
                    self._serve_session(self.session)
                elif self.session is not None and self.session.programs is not None:
                    self.session.programs.serve(fd)
            if not ready and self.session is not None:
                self.session.watch_memory()

    def _serve_worker(self) -> None:
        fields, _, fds = wire.receive(self.control)
        if fields["op"] == "evidence":
            wire.send(self.control, self._evidence())
        else:
            self._begin_session(_socket.socket(fileno=fds[0]), fields["op"], fds[1:])

    def _evidence(self) -> dict[str, Any]:
        evidence: dict[str, Any] = {"oom": self.setup.oom_kills()}
        if self.session is not None and self.session.ended_from_outside():
            evidence["outside"] = str(EndedFromOutside())
        return evidence

    def _begin_session(self, sock: _socket.socket, operation: str, fds: list[int]) -> None:
        try:
            if self.session is not None:
                raise RuntimeError("the session before it is still open")
            session = Session(sock, self.setup, self.namespaces, self.poll)
            session.start(operation, fds)
        except (OSError, RuntimeError) as error:
            wire.send(sock, _describe_refusal(error))
            sock.close()
            return
        self.session = session
        self.poll.register(sock, select.POLLIN)

    def _serve_session(self, session: Session) -> None:
        """Answer one request. A worker that has ended, or has closed the socket, ends the session."""
        try:
            more = session.serve()
        except wire.Closed:
            session.abandon()
            more = False
        if not more:
            self.poll.unregister(session.sock)
            session.sock.close()
            self.session = None

    def _open(self, fields: dict[str, Any], filters: bytes, fds: list[int]) -> tuple[Setup, int]:
        """Prepare the box from the first message. `fds`: the files, the worker, the counters."""
        worker = fds[1]
        setup = Setup(fields, filters[fields["own_filter"] :])
        setup.counts = dict(zip(fields["counts"], fds[2:], strict=True)) or _container_counters()
        with open(fds[0], "rb") as files:
            names = bundle.unpack(files, FILES, most_files=100_000, most_bytes=1 << 32)
        os.environ.clear()
        os.environ.update(setup.environment)
        if setup.uids:
            os.setgroups([])
            _redirect_shared_memory()
        else:
            kernel.bound_capabilities()
            kernel.set_dumpable(False)
            _make_files_read_only()
        shared.close_to_bots(namespaces=not setup.uids)
        kernel.no_new_privileges()
        kernel.use_key(fields["key"])
        kernel.Filter(filters[: fields["own_filter"]]).install()
        workspace.set_limits(setup)
        for path, executable, size in names:
            _copy_or_link(setup, path, executable, size)
        if setup.python is not None:
            self._warm_up(setup, setup.python)
        warm.freeze_for_fork(setup)
        return setup, worker

    def _warm_up(self, setup: Setup, entry: str) -> None:
        sources = {name: data for name, _, data in setup.small if name.endswith(".py")}
        own = {name.removesuffix(".py") for name in sources} | set(setup.linked)
        warm.preload(sources)
        if entry not in sources or own & set(sys.modules):
            # A module of the bot would be hidden by one that is loaded here: start Python afresh.
            setup.python = None
            return
        setup.code = _compile_confined(setup, sources[entry], entry)


def _describe_refusal(error: OSError | RuntimeError) -> dict[str, str]:
    if isinstance(error, workspace.WorkspaceFull):
        return {"refused": "overfull"}
    if isinstance(error, EndedFromOutside):
        return {"outside": str(error)}
    return {"broken": f"a session could not be started: {wire.explain(error)}"}


def _copy_or_link(setup: Setup, path: str, executable: bool, size: int) -> None:
    if "/" in path:
        return
    pages = -(-size // _PAGE) * _PAGE
    if size < 0 or size > _SMALL or setup.copied + pages > setup.work // _COPIED_SHARE:
        setup.linked.append(path)
        return
    setup.copied += pages
    with open(f"{FILES}/{path}", "rb") as file:
        setup.small.append((path, 0o700 if executable else 0o600, file.read()))


def _make_files_read_only() -> None:
    """Mount the bot's files read-only."""
    kernel.unshare(kernel.CLONE_NEWNS)
    flags = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", FILES, "", flags)


def _redirect_shared_memory() -> None:
    """Keep shared memory in /box, like everything that a bot can write."""
    if not os.path.lexists("/dev/shm"):
        os.symlink(SHM, "/dev/shm")


def _container_counters() -> dict[str, int]:
    """Descriptors of the control group's counters, if the container shows them."""
    container_counters = {}
    for name, paths in {
        "oom": ("memory.events", "memory/memory.oom_control"),
        "processor": ("cpu.stat", "cpuacct/cpuacct.usage"),
    }.items():
        for path in paths:
            try:
                container_counters[name] = os.open(f"/sys/fs/cgroup/{path}", os.O_RDONLY | os.O_CLOEXEC)
                break
            except OSError:
                continue
    return container_counters


def _compile_confined(setup: Setup, source: bytes, entry: str) -> bytes | None:
    """Compile the entry file in a confined process; None if that fails (the bot will fail the same way)."""
    reading, writing = os.pipe()
    child = os.fork() if setup.uids else kernel.fork_into_pid_namespace()
    if child == 0:
        try:
            workspace.confine(setup, uids.random_uid() if setup.uids else None)
            with open(writing, "wb") as out:
                out.write(warm.compiled(source, entry))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as result:
        code = _read_within(result.fileno(), _COMPILE_SECONDS)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return code or None


def _read_within(fd: int, seconds: float) -> bytes:
    """Everything up to the end of the stream; nothing if that takes longer, or is absurdly long."""
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
