"""The referee's side of a box: the same for every backend, which only starts the agent.

Theory of operation. A backend starts an agent somewhere (a `Den`) and hands over the control socket.
From there on: one `open` message, then a new socket for each session, on which the session's keeper
answers. Whatever fails there fails in one of two ways. If a keeper is gone or silent after a bot has
been started, that is taken for the bot's doing (nothing else runs there): the caller gets a Failed
and the box is closed, never to be used again. What fails before says so (`broken`): the platform has
failed then, as it has when the agent is gone, which no bot can reach.
"""

import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from sandbox.api import Failed, Limits, ProgramRun, SandboxError, Times, Usage
from sandbox.channel import Process
from sandbox.inside import bundle, wire

OPEN_SECONDS = 20.0
_SETUP_SECONDS = 10.0  # a session's room, and the start of a bot
_END_SECONDS = 3.0


class Den(Protocol):
    """Where an agent runs: what a backend makes."""

    control: socket.socket
    uids: bool  # a uid a session, else namespaces
    memory_counted: bool  # the kernel limits the memory of all processes together
    oom: int | None  # descriptor of a count of out-of-memory kills, if the host has it
    path: str  # where bots look for programs

    def destroy(self) -> None:
        """End every process in there and remove what was made for it. Never fails."""

    def why(self) -> str:
        """What is known about the den's own failure; "" if nothing."""


class Box:
    """An open box. Made by open_box()."""

    def __init__(self, den: Den, limits: Limits) -> None:
        self.den = den
        self.limits = limits
        self.alive = True
        self._session: Session | None = None

    def session(self) -> "Session":
        if not self.alive:
            raise SandboxError("the box is closed")
        if self._session is not None and not self._session.closed:
            raise SandboxError("the box has a session already")
        ours, theirs = _socket_pair()
        try:
            with theirs:
                wire.send(self.den.control, {"op": "session"}, fds=(theirs.fileno(),))
        except wire.Closed as error:
            ours.close()
            self.close()
            raise SandboxError(f"the agent has gone{_because(self.den)}") from error
        self._session = Session(self, ours)
        return self._session

    def close(self) -> None:
        """End everything in the box, a session that is still open included."""
        if self._session is not None:
            self._session.release()
        if self.alive:
            self.alive = False
            self.den.control.close()
            self.den.destroy()


def _socket_pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _because(den: Den) -> str:
    why = den.why().strip()
    return f": {why[-500:]}" if why else ""


def open_box(
    den: Den, files: Path, limits: Limits, program: bytes, command: Sequence[str], python: str | None
) -> Box:
    """Hand the agent in `den` everything it needs; closes the den and raises SandboxError on failure."""
    fields: dict[str, Any] = {
        "uids": den.uids,
        "memory_counted": den.memory_counted,
        "command": list(command),
        "python": python,
        "memory": limits.memory_mib << 20,
        "processes": limits.processes,
        "work": limits.work_mib << 20,
        "output": limits.output_bytes,
        "open_files": limits.open_files,
        "cpu_s": limits.cpu_s,
        "environment": {"PATH": den.path, "HOME": "/box/work", "LANG": "C.UTF-8"},
    }
    with contextlib.ExitStack() as stack:
        try:
            packed = stack.enter_context(tempfile.TemporaryFile())
            bundle.pack(str(files), packed, most_files=100_000, most_bytes=1 << 30)
            packed.seek(0)
            worker = os.pidfd_open(os.getpid())
            stack.callback(os.close, worker)
            fds = [packed.fileno(), worker] + ([] if den.oom is None else [den.oom])
            wire.send(den.control, fields, program, tuple(fds))
            answer, _, _ = wire.receive(den.control, OPEN_SECONDS)
            if "broken" in answer:
                raise wire.Closed(answer["broken"])
        except (wire.Closed, wire.Slow, OSError, bundle.BadBundle) as error:
            because = _because(den)
            den.control.close()
            den.destroy()
            raise SandboxError(f"a box could not be prepared{because or f': {error!r}'}") from error
    return Box(den, limits)


class Session:
    """One seat of one match. Everything in it is asked of its keeper."""

    def __init__(self, box: Box, sock: socket.socket) -> None:
        self.box = box
        self.sock = sock
        self.stderr = b""
        self.lost: Failed | None = None  # set once the keeper is gone or silent
        self._bots = False  # whether a bot has been started: from then on a loss is its doing
        self._process: Process | None = None
        self.closed = False

    def start(self) -> Process:
        if self._process is not None:
            raise SandboxError("the session has started its bot already")
        ours_in, theirs_in, ours_out, theirs_out = _pipes()
        process = Process(self, ours_in, ours_out, self.box.limits.output_bytes)
        try:
            answer, _, fds = self._ask({"op": "start"}, _SETUP_SECONDS, fds=(theirs_in, theirs_out))
        except Lost as lost:
            process.failed = lost.failed
            return process
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        if "refused" in answer:
            process.failed = Failed("crash", answer["refused"])
        else:
            process.watch(fds[0])
        self._process = process
        return process

    def run(self, args: Sequence[str], file: bytes | None, seconds: float) -> ProgramRun:
        limit_us = int(seconds * 1e6)
        cap_us = 10 * limit_us + 500_000
        ask = {
            "op": "run",
            "args": list(args),
            "file": file is not None,
            "limit_us": limit_us,
            "cap_us": cap_us,
        }
        try:
            answer, data, _ = self._ask(ask, cap_us / 1e6 + _SETUP_SECONDS, file or b"")
        except Lost as lost:
            return ProgramRun(lost.failed, -9, b"", None, Times())
        if "wall_us" not in answer:
            return ProgramRun(Failed(*answer["failed"]), answer["exit"], b"", file, Times())
        times = Times(answer["wall_us"], answer["cpu_us"], answer["wait_us"])
        size = answer["stdout"]
        after = None if answer["file"] is None else data[size:]
        return ProgramRun(_failure(answer, times), answer["exit"], data[:size], after, times)

    def status(self, wait_ms: int = 0, since_ns: int = 0) -> dict[str, Any]:
        """Whether the bot has ended and how (`exit`, `memory`), and what all of it has used so far.

        See Keeper._status. Without a keeper: {"lost": Failed}.
        """
        ask = {"op": "status", "wait_ms": wait_ms, "since_ns": since_ns}
        try:
            return self._ask(ask, wait_ms / 1000 + _SETUP_SECONDS)[0]
        except Lost as lost:
            return {"lost": lost.failed}

    def kill(self) -> None:
        with contextlib.suppress(Lost):
            self._ask({"op": "kill"}, _SETUP_SECONDS)

    def build(
        self, steps: Sequence[Sequence[str]], seconds: float, most_files: int, most_bytes: int, result: int
    ) -> tuple[dict[str, Any], bytes]:
        """Run the steps of a build, its result written to the file `result`: (ok and reason, log).

        Raises Lost.
        """
        ask = {
            "op": "build",
            "steps": [list(step) for step in steps],
            "limit_us": int(seconds * 1e6),
            "cap_us": int(seconds * 10e6) + 500_000,
            "most_files": most_files,
            "most_bytes": most_bytes,
        }
        answer, log, _ = self._ask(ask, seconds * 10 + _SETUP_SECONDS, fds=(result,))
        return answer, log

    def close(self) -> Usage:
        if self.closed and self.lost is None:
            raise SandboxError("the session is closed")
        try:
            if self.lost is not None:
                raise Lost(self.lost)
            answer, self.stderr, _ = self._ask({"op": "end"}, _END_SECONDS)
            if not answer["clean"]:
                self._lose("left a work folder that could not be emptied")
            elif answer["memory"]:
                self.box.close()  # its count of kills would be taken for the next session's
            return Usage(answer["cpu_us"], answer["peak_kib"])
        except Lost as lost:
            if not self._bots:
                raise SandboxError(lost.failed.reason) from lost
            return Usage(0, 0)
        finally:
            self.release()

    def release(self) -> None:
        """Let go of the keeper and of the bot's pipes; without its referee the keeper ends."""
        self.closed = True
        self.sock.close()
        if self._process is not None:
            self._process.close()

    def _ask(
        self, fields: dict[str, Any], seconds: float, data: bytes = b"", fds: tuple[int, ...] = ()
    ) -> tuple[dict[str, Any], bytes, list[int]]:
        """One request and its answer. Raises Lost if a bot may be the cause, else SandboxError."""
        if self.lost is not None:
            raise Lost(self.lost)
        self._bots = self._bots or fields["op"] != "end"
        try:
            with contextlib.suppress(wire.Closed):  # why it is gone may still be there to be read
                wire.send(self.sock, fields, data, fds)
            answer = wire.receive(self.sock, seconds)
        except wire.Closed:
            raise Lost(self._lose("took the keeper of its session down")) from None
        except wire.Slow:
            raise Lost(self._lose("kept its session from answering")) from None
        if "broken" in answer[0]:
            self.lost = Failed("crash", answer[0]["broken"])
            self.box.close()
            raise SandboxError(self.lost.reason)
        return answer

    def _lose(self, reason: str) -> Failed:
        """The keeper is no use any more: find out why, give the box up."""
        oom, agent_gone = False, False
        try:
            wire.send(self.box.den.control, {"op": "reap", "seconds": 0.5})
            oom = wire.receive(self.box.den.control, 2.0)[0]["oom"] > 0
        except wire.Slow:
            pass
        except (wire.Closed, OSError):
            agent_gone = True
        because = _because(self.box.den)
        self.box.close()
        self.lost = Failed("memory", "ran out of memory") if oom else Failed("crash", reason)
        if agent_gone or not (self._bots or oom):
            raise SandboxError(f"the box was lost{because}" if agent_gone else f"{reason}{because}")
        return self.lost


class Lost(Exception):
    """The keeper of a session is gone or silent, by a bot's doing."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.reason)
        self.failed = failed


def _pipes() -> tuple[int, int, int, int]:
    """(our end of the bot's input, its end, our end of its output, its end); ours do not block."""
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    for fd in (ours_in, ours_out):
        os.set_blocking(fd, False)
    for fd in (theirs_in, theirs_out):
        os.fchmod(fd, 0o666)  # so that a bot of another uid may open /dev/stdout by its path
    return ours_in, theirs_in, ours_out, theirs_out


def _failure(answer: dict[str, Any], times: Times) -> Failed | None:
    if answer["failed"] is None:
        return None
    kind, reason = answer["failed"]
    return Failed(kind, reason or how_it_ended(answer["exit"], kind == "memory"), times)


def how_it_ended(exit_: int, memory: bool) -> str:
    """The end of a process in words: "exited with status 3", "killed by signal 11 (SIGSEGV)"."""
    if memory:
        return "ran out of memory"
    if exit_ >= 0:
        return f"exited with status {exit_}"
    try:
        name = signal.Signals(-exit_).name
    except ValueError:
        name = "unknown"
    return f"killed by signal {-exit_} ({name})"
