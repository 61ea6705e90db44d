"""The referee's side of a box: the same for every backend, which only starts the agent.

Theory of operation. A backend starts an agent somewhere (a `AgentHost`) and hands over the control socket.
From there on: one `open` message, then a new socket for each session, on which the agent answers for it.
What a session starts is a bot for a whole match (process.py), or a spawner of programs (runs.py).

Who is to blame when a bot, a spawner or the whole box has been lost is decided by evidence: see blame.py.
Before a bot is blamed for an end by SIGKILL, which it can have brought on itself, the agent is asked for a
sign of life, since everything in the box may have been killed from outside. A box that lost anything is
closed.
"""

import contextlib
import errno
import os
import select
import signal
import socket
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol

from sandbox.api import NO_TIMES, Failed, Limits, ProgramRun, SandboxError, Usage
from sandbox.boxes.blame import Death, blame
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.process import Process
from sandbox.boxes.runs import NotStarted, RunResult, Runs
from sandbox.boxes.suspend import register
from sandbox.inside import bundle, wire, workspace
from sandbox.inside.head_tail import HeadTail

OPEN_SECONDS = 20.0
_SETUP_SECONDS = 10.0  # a session's room, and the start of a bot
_LOOK_SECONDS = 60.0  # for counters to be read: a bot's own processes may crowd out who reads them
_END_SECONDS = 3.0
_AGENT_SECONDS = 5.0  # for the agent, which has nothing else to do
_SEND_TIMEOUT = struct.pack("ll", 5, 0)  # for a request to a spawner, which has nothing else to do


class AgentHost(Protocol):
    """Where an agent runs: what a backend makes."""

    control: socket.socket
    uids: bool  # a uid a session, else namespaces
    memory_counted: bool  # the kernel limits the memory of all processes together
    counts: dict[str, int]  # descriptors of what the host's control group counts, see inside/setup.py
    path: str  # where bots look for programs

    def destroy(self) -> None:
        """End every process in there and remove what was made for it. Never fails."""

    def failure_detail(self) -> str:
        """What is known about the host's own failure; "" if nothing."""

    def death(self) -> Death:
        """What is known from outside about the end of the agent. May wait a moment for evidence."""


class Box:
    """An open box. Made by open_box()."""

    def __init__(self, host: AgentHost, command: Sequence[str], limits: Limits, kib: int) -> None:
        self.host = host
        self.command = command
        self.limits = limits
        self.kib = kib  # of memory, while nothing runs in it
        self._open = True
        self._session: Session | None = None

    @property
    def alive(self) -> bool:
        """Whether a session can be opened. The agent says nothing unasked: what can be read is its end."""
        return self._open and not self._hung_up()

    def _hung_up(self) -> bool:
        poll = select.poll()
        poll.register(self.host.control, select.POLLIN)
        return bool(poll.poll(0))

    def fault(self) -> Failed | None:
        """What the bot has done to this box; None if the box is sound.

        Raises SandboxError, and closes the box, if it, or the session, was ended from outside.
        """
        try:
            return self._fault()
        except SandboxError:
            self.close()
            raise

    def _fault(self) -> Failed | None:
        try:
            with contextlib.suppress(wire.Closed):  # what the agent said last may still be there to be read
                wire.send(self.host.control, {"op": "evidence"})
            answer, _, _ = wire.receive(self.host.control, _AGENT_SECONDS)
        except wire.Slow:
            return blame(self.host.death(), _AGENT_SECONDS)
        except (wire.Closed, OSError):
            return blame(self.host.death())
        if answer.get("oom"):
            return blame(Death(None, True))
        if "outside" in answer:
            return blame(Death(None, False, answer["outside"]))
        if "broken" in answer:
            return blame(self.host.death())
        return None

    def _lost(self, error: Exception) -> SandboxError:
        because = _because(self.host) or f": {error!r}"
        self.close()
        return SandboxError(f"the box was lost{because}")

    def session(self) -> "Session":
        if not self._open:
            raise SandboxError("the box is closed")
        if self._session is not None and not self._session.closed:
            raise SandboxError("the box has a session already")
        if self._hung_up():
            raise self._lost(wire.Closed())
        self._session = Session(self)
        return self._session

    def begin(self, operation: str, given: tuple[int, ...]) -> socket.socket:
        """Have the agent begin a session: the socket on which it answers for that. Raises SandboxError."""
        ours, theirs = _socket_pair()
        try:
            with theirs:
                wire.send(self.host.control, {"op": operation}, fds=(theirs.fileno(), *given))
        except wire.Closed as error:
            ours.close()
            raise self._lost(error) from error
        return ours

    def close(self) -> None:
        """End everything in the box, a session that is still open included."""
        if self._session is not None:
            self._session.release()
        if self._open:
            self._open = False
            self.host.control.close()
            self.host.destroy()


def _socket_pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _because(host: AgentHost) -> str:
    why = host.failure_detail().strip()
    return f": {why[-500:]}" if why else ""


def direct(command: Sequence[str], python: str | None, limits: Limits) -> bool:
    """Whether the agent is to start bots itself: programs, whose processor time alone nobody limits."""
    return bool(command) and python is None and limits.cpu_s is None


def open_box(
    host: AgentHost,
    files: Path,
    limits: Limits,
    filters: tuple[bytes, bytes],
    command: Sequence[str],
    python: str | None,
    key: int = 0,
) -> Box:
    """Hand the agent in `host` everything it needs; closes the host and raises SandboxError on failure."""
    fields: dict[str, Any] = {
        "uids": host.uids,
        "own_filter": len(filters[0]),
        "memory_counted": host.memory_counted,
        "direct": direct(command, python, limits),
        "key": key,
        "command": list(command),
        "python": python,
        "memory": limits.memory_mib << 20,
        "processes": limits.processes,
        "work": limits.work_mib << 20,
        "output": limits.output_bytes,
        "open_files": limits.open_files,
        "cpu_s": limits.cpu_s,
        "environment": {"PATH": host.path, "HOME": "/box/work", "LANG": "C.UTF-8"},
    }
    with contextlib.ExitStack() as stack:
        try:
            packed = stack.enter_context(tempfile.TemporaryFile())
            bundle.pack(str(files), packed, most_files=100_000, most_bytes=1 << 30)
            packed.seek(0)
            worker = os.pidfd_open(os.getpid())
            stack.callback(os.close, worker)
            fields["counts"] = list(host.counts)
            fds = [packed.fileno(), worker, *host.counts.values()]
            wire.send(host.control, fields, b"".join(filters), tuple(fds))
            answer, _, _ = wire.receive(host.control, OPEN_SECONDS)
            if "broken" in answer:
                raise wire.Closed(answer["broken"])
        except (wire.Closed, wire.Slow, OSError, bundle.BadBundle) as error:
            because = _because(host)
            host.control.close()
            host.destroy()
            raise SandboxError(f"a box could not be prepared{because or f': {error!r}'}") from error
        kib = int(answer["kib"]) + (os.fstat(packed.fileno()).st_size >> 10)
    return Box(host, command, limits, kib)


class Session:
    """One seat of one match, or one build. Everything in it is asked of the agent, but for runs."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._sock: socket.socket | None = None  # once something has been started
        self.stderr = b""
        self.lost: Failed | None = None  # set once the bot has taken the agent down with it
        self._started: Process | Runs | None = None
        self._spent = 0  # bytes of output in all runs
        self.closed = False

    def start(self) -> Process:
        if self._started is not None:
            raise SandboxError("the session has started its bot already")
        (theirs_in, ours_in), (ours_out, theirs_out) = _pipe(reading=False), _pipe(reading=True)
        ours_error, theirs_error = _pipe(reading=True)
        process = Process(self, ours_in, ours_out, ours_error, self.box.limits.output_bytes)
        self._started = process
        register(process)
        try:
            answer, fds = self._begin("start", (theirs_in, theirs_out, theirs_error))
        except SessionLost as lost:
            process.failed = lost.failed
            return process
        if "refused" in answer:
            process.failed = self._refused(answer["refused"])
        else:
            process.watch(fds[0])
        return process

    def run(self, args: Sequence[str], file: bytes | None, seconds: float) -> ProgramRun:
        limits = self.box.limits
        most = limits.output_bytes - self._spent
        try:
            output = HeadTail(limits.output_bytes)
            ended = self.runs().run_to_end(args, file, int(seconds * 1e6), output, most)
        except SessionLost as lost:
            return ProgramRun(lost.failed, -signal.SIGKILL, b"", None, NO_TIMES)
        except NotStarted as error:
            return ProgramRun(Failed("crash", self._why_not(error)), -1, b"", file, NO_TIMES)
        self._spent += output.total
        text = output.text() if output.total <= most else b""
        failed = Failed(ended.failed, self._reason(ended, seconds), ended.times) if ended.failed else None
        return ProgramRun(failed, ended.exit, text, ended.file, ended.times)

    def _why_not(self, error: NotStarted) -> str:
        if error.number == errno.ENOSPC:
            return "filled its work folder: the game's file could not be written"
        return f"could not be started ({' '.join(self.box.command)[:200]}): {error}"

    def _reason(self, ended: RunResult, seconds: float) -> str:
        if ended.failed == "timeout":
            return f"did not end within {seconds:g} s"
        if ended.failed == "flood":
            return f"wrote more than {self.box.limits.output_bytes >> 10} KiB to its standard output"
        return describe_exit(ended.exit, ended.failed == "memory")

    def runs(self, result: int = -1) -> Runs:
        """The session's spawner, begun if need be. `result`: of a build, the file for what it leaves; both
        outputs of its steps come as one then. Raises SessionLost, SandboxError.
        """
        if isinstance(self._started, Runs):
            return self._started
        if self._started is not None:
            raise SandboxError("the session has started its bot already")
        ours, theirs = _socket_pair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SEND_TIMEOUT)
        (ours_out, theirs_out), (ours_error, theirs_error) = _pipe(reading=True), _pipe(reading=True)
        runs = self._started = Runs(self, ours, ours_out, ours_error)
        given: tuple[int, ...] = (theirs.detach(), theirs_out, theirs_error)
        if result >= 0:
            os.dup2(theirs_out, theirs_error)
            given += (os.dup(result),)
        answer, fds = self._begin("runs", given)
        if "refused" in answer:
            self.lost = self._refused(answer["refused"])
            raise SessionLost(self.lost)
        runs.watch(fds[0])
        return runs

    def _refused(self, why: str) -> Failed:
        """Why the agent has not started anything: something of the bot's."""
        if why == "overfull":
            most = f"{self.box.limits.work_mib} MiB and {workspace.INODES:,} files"
            why = f"does not fit into its work folder: expected at most {most} in all"
        return Failed("crash", why)

    def _begin(self, operation: str, given: tuple[int, ...]) -> tuple[dict[str, Any], list[int]]:
        """Have a bot or a spawner started on these descriptors, which are closed here.

        What is answered: a descriptor of its counters. Raises SessionLost, SandboxError.
        """
        try:
            if self.closed:
                raise SandboxError("the session is closed")
            self._sock = self.box.begin(operation, given)
        finally:
            for fd in given:
                os.close(fd)
        return self._receive(_SETUP_SECONDS)

    def measured(self, wait_ms: int = 0) -> dict[str, Any]:
        """Whether the bot, or the spawner, has ended and how, and what bots have used so far.

        See inside/session.py. Raises SessionLost, SandboxError.
        """
        return self.ask({"op": "status", "wait_ms": wait_ms}, wait_ms / 1000 + _LOOK_SECONDS)

    def status(self, wait_ms: int = 0) -> dict[str, Any]:
        """The same; if the bot has taken its box down with it: {"lost": Failed}."""
        try:
            status = self.measured(wait_ms)
        except SessionLost as lost:
            return {"lost": lost.failed}
        if status.get("exit") == -signal.SIGKILL:
            self.check_box_alive()
        return status

    def check_box_alive(self) -> None:
        """Raise SandboxError if the bot was killed together with everything else in its box."""
        self.box.fault()

    def pause(self, yes: bool) -> None:
        """Stop every process of the session, or let all go on."""
        with contextlib.suppress(SessionLost):
            self.ask({"op": "pause", "yes": yes})

    def kill(self) -> None:
        """End everybody in the session."""
        with contextlib.suppress(SessionLost):
            self.ask({"op": "kill"})

    def close(self) -> Usage:
        if self.closed or self._started is None:
            self.closed = True
            return Usage(0, 0)
        answer: dict[str, Any] = {}
        try:
            answer = self._end()
        finally:
            self.release()
            # No report: it failed to end, or somebody broke in (Ctrl-C), now or while something was asked.
            # And a kill for memory would be taken for the next session's.
            if not answer.get("clean") or answer["memory"]:
                self.box.close()
        return Usage(answer.get("cpu_us", 0), answer.get("peak_kib", 0))

    def _end(self) -> dict[str, Any]:
        """The agent's report of the session, which it has ended; something else if it has not."""
        if self._sock is None or self._started is None:
            return {}
        try:
            with contextlib.suppress(wire.Closed):  # what is there may still be read
                wire.send(self._sock, {"op": "end"})
            answer, _, _ = wire.receive(self._sock, _END_SECONDS)
            self.stderr = self._started.all_errors()
        except (wire.Closed, wire.Slow):
            return {}
        return answer

    def release(self) -> None:
        """Let go of the agent's attention and of the pipes; without its referee the session ends."""
        self.closed = True
        if self._sock is not None:
            self._sock.close()
        if self._started is not None:
            self._started.close()

    def ask(self, fields: dict[str, Any], seconds: float = _SETUP_SECONDS) -> dict[str, Any]:
        """One request and its answer. Raises SessionLost if the bot has broken its box, SandboxError."""
        if self.lost is not None:
            raise SessionLost(self.lost)
        if self.closed or self._sock is None:
            raise SandboxError("the session is closed")
        with contextlib.suppress(wire.Closed):  # why it is gone may still be there to be read
            wire.send(self._sock, fields)
        return self._receive(seconds)[0]

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        assert self._sock is not None
        try:
            answer, _, fds = wire.receive(self._sock, seconds)
        except (wire.Closed, wire.Slow) as error:
            self._lose(seconds if isinstance(error, wire.Slow) else 0.0)
        if "broken" in answer or "outside" in answer:
            self.box.close()
            raise SandboxError(answer.get("outside") or answer["broken"])
        return answer, fds

    def _lose(self, silent_s: float) -> NoReturn:
        """The session is no use any more: find out why, and give the box up.

        Raises SessionLost, SandboxError.
        """
        try:
            # An agent that is still sound has given this session up, or answers others, but not for it.
            self.lost = self.box.fault() or blame(Death(None, False), silent_s)
        finally:
            self.box.close()
        raise SessionLost(self.lost)


class SessionLost(Exception):
    """The session is gone by the bot's doing."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.reason)
        self.failed = failed


def _pipe(reading: bool) -> tuple[int, int]:
    """A pipe, (reading end, writing end), of which we keep one: that does not block."""
    ends = os.pipe()
    ours, theirs = ends if reading else reversed(ends)
    os.set_blocking(ours, False)
    os.fchmod(theirs, 0o666)  # so that a bot of another uid may open /dev/stdout by its path
    return ends
