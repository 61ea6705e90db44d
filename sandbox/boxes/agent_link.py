"""The worker's end of the conversation with the agent of a box.

Theory of operation.

Processes:
- The worker, here.
- The agent, PID 1 of the box (inside/agent.py). A backend starts it and hands over an `AgentHost`.

Pipes:
- The control socket (`AgentLink`) carries one request to open the box, one to begin each session, and
  requests for evidence. The agent never sends anything unasked, so a readable control socket means that it
  has ended.
- A new socket for each session (`SessionLink`) carries requests about that session and their answers.
- All of these carry JSON objects (inside/wire.py). `BoxSpec`, `Status` and `Report` are their types on this
  side.

Trust:
- The worker trusts what the agent reports about processes. Bots can reach neither socket.

Failure:
- A lost or silent agent is judged by evidence (blame.py): the bot's fault raises `SessionLost`, the
  platform's raises SandboxError. The box is closed in both cases.
- Everything in a box may have been killed from outside. So before a bot is blamed for an end by SIGKILL,
  which it can also cause itself, the agent is asked for evidence.
"""

import contextlib
import os
import select
import signal
import socket
import time
from dataclasses import replace
from typing import Any, NoReturn, Protocol

from sandbox.api import Failed, SandboxError
from sandbox.boxes import cgroup
from sandbox.boxes.agent_messages import BoxSpec, Prepared, Report, Status
from sandbox.boxes.blame import Death, blame
from sandbox.boxes.reading import read_until
from sandbox.hints import describe_memory
from sandbox.inside import wire

OPEN_SECONDS = 20.0
_SETUP_SECONDS = 10.0  # to make a session's workspace and start a bot
_STATUS_SECONDS = 60.0  # to read counters: the process that reads them competes with the bot's own processes
_END_SECONDS = 3.0
_EVIDENCE_SECONDS = 5.0  # the agent has nothing else to do
_READ_EVERY_NS = 20_000_000  # two ticks of a slow kernel: see PressureFiles.preempted_us()
_DETAIL = 500  # characters of a host's failure detail in an error message


class AgentHost(Protocol):
    """Where an agent runs: what a backend makes for each box."""

    control: socket.socket
    uids: bool  # sessions are separated by uid, otherwise by namespaces
    memory_counted: bool  # the kernel limits the memory of all processes together
    counts: dict[str, int]  # descriptors of the host's control group counters, see inside/setup.py
    pressure: cgroup.PressureFiles  # of the box's group
    path: str  # the PATH of bots

    def destroy(self) -> None:
        """End every process of the box and remove what was made for it. Never fails."""

    def failure_detail(self) -> str:
        """What is known about a failure of the host itself; "" if nothing."""

    def death(self) -> Death:
        """What is known from outside about the end of the agent. May wait a moment for evidence."""


class SessionLost(Exception):
    """A session has been lost through the bot's fault."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(str(failed.reason))
        self.failed = failed


class NotBegun(Exception):
    """The agent started nothing, because of something in the bot's files or command."""


class KeptFromRunning:
    """How long a box has been kept from running since this was made: see cgroup.PressureFiles.preempted_us().

    While our own processes run in the box, for example to measure what the bot has used, the bot cannot run,
    because its box has one processor. But if a sample finds no thread of the bot ready, nothing was delayed.
    """

    def __init__(self, host: AgentHost) -> None:
        self._host = host
        self.since_ns = self._read_ns = time.monotonic_ns()
        self._before_us = self._last_us = self._read()
        self._first: Status | None = None
        self._last: Status | None = None
        self._only_ours_us = 0  # of samples that found no thread of the bot ready

    def _read(self) -> int | None:
        return self._host.pressure.preempted_us()

    def so_far_us(self) -> int | None:
        """The time, read again if the last reading is old enough. None if the kernel does not count it."""
        if self._last_us is None or self._before_us is None:
            return None
        if (now_ns := time.monotonic_ns()) - self._read_ns >= _READ_EVERY_NS:
            self._read_ns, self._last_us = now_ns, self._read() or self._last_us
        return self._last_us - self._before_us

    def preempted_us(self, status: Status, spawner_us: int = 0) -> int | None:
        """How long others, or we, kept the bot from running. `spawner_us`: CPU time of its spawner."""
        self._first, last, self._last = self._first or status, self._last or status, status
        if status.threads and not any(thread.ready for thread in status.threads):
            self._only_ours_us += status.sampling_us - last.sampling_us
        preempted_us = self.so_far_us()
        if preempted_us is None:
            return None
        ours_us = status.ours_us - self._first.ours_us + spawner_us - self._only_ours_us
        return max(0, preempted_us + ours_us)

    def unread_us(self) -> int:
        """How long ago the time was read: the box may have been kept from running ever since."""
        return 0 if self._last_us is None else (time.monotonic_ns() - self._read_ns) // 1000


class AgentLink:
    """The control socket of one agent, and the AgentHost that it runs in."""

    def __init__(self, host: AgentHost) -> None:
        self.host = host
        self.open = True
        self._memory_mib = 0  # the limit of the bots

    @property
    def alive(self) -> bool:
        return self.open and not self._hung_up()

    def _hung_up(self) -> bool:
        poll = select.poll()
        poll.register(self.host.control, select.POLLIN)
        return bool(poll.poll(0))

    def prepare(self, spec: BoxSpec, filters: bytes, fds: tuple[int, ...]) -> Prepared:
        """Have the agent prepare its box.

        Raises OSError, wire.Closed and wire.Slow. `fds`: files, worker, counters (see inside/agent.py).
        """
        self._memory_mib = spec.memory >> 20
        wire.send(self.host.control, spec._asdict(), filters, fds)
        answer, _, _ = wire.receive(self.host.control, OPEN_SECONDS)
        if "broken" in answer:
            raise wire.Closed(answer["broken"])
        return Prepared(int(answer["kib"]), answer["missing"])

    def failure(self, what: str, error: Exception) -> SandboxError:
        """Close the box. The error to raise: `what`, and the best explanation there is."""
        detail = self.host.failure_detail().strip()[-_DETAIL:] or repr(error)
        self.close()
        return SandboxError(f"{what}: {detail}")

    def require_open(self) -> None:
        """Raise SandboxError if no session can be begun."""
        if not self.open:
            raise SandboxError("the box is closed")
        if self._hung_up():
            raise self.failure("the box was lost", wire.Closed())

    def begin(self, operation: str, fds: tuple[int, ...]) -> socket.socket:
        """Have the agent begin a session. Returns the session's socket. Raises SandboxError."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                wire.send(self.host.control, {"op": operation}, fds=(theirs.fileno(), *fds))
        except wire.Closed as error:
            ours.close()
            raise self.failure("the box was lost", error) from error
        return ours

    def fault(self) -> Failed | None:
        """What the bot has done to the box; None if the box is sound.

        If the box or the session was ended from outside, closes the box and raises SandboxError.
        """
        try:
            failed = self._fault()
        except SandboxError:
            self.close()
            raise
        if failed is not None and failed.kind == "memory":
            return replace(failed, reason=describe_memory(self._memory_mib))
        return failed

    def _fault(self) -> Failed | None:
        try:
            with contextlib.suppress(wire.Closed):  # the agent's last message may still be unread
                wire.send(self.host.control, {"op": "evidence"})
            answer, _, _ = wire.receive(self.host.control, _EVIDENCE_SECONDS)
        except wire.Slow:
            return blame(self.host.death(), _EVIDENCE_SECONDS)
        except (wire.Closed, OSError):
            return blame(self.host.death())
        if answer.get("oom"):
            return blame(Death(None, True))
        if "outside" in answer:
            return blame(Death(None, False, answer["outside"]))
        if "broken" in answer:
            return blame(self.host.death())
        return None

    def close(self) -> None:
        """End every process of the box."""
        if self.open:
            self.open = False
            self.host.control.close()
            self.host.destroy()


class SessionLink:
    """The socket of one session, once something has been started in it."""

    def __init__(self, agent: AgentLink) -> None:
        self.agent = agent
        self.closed = False
        self._sock: socket.socket | None = None
        self._lost: Failed | None = None

    def begin(self, operation: str, fds: tuple[int, ...]) -> int:
        """Start a bot, or what runs programs, on these descriptors, which are closed here.

        Returns a descriptor of its /proc/<pid>/schedstat. Raises NotBegun, SessionLost, SandboxError.
        """
        try:
            if self.closed:
                raise SandboxError("the session is closed")
            self._sock = self.agent.begin(operation, fds)
        finally:
            for fd in fds:
                os.close(fd)
        answer, counters = self._receive(self._sock, _SETUP_SECONDS)
        if "refused" in answer:
            raise NotBegun(answer["refused"])
        return counters[0]

    def measure(self, wait_ms: int = 0) -> Status:
        """The session's status; waits `wait_ms` for the end of the bot. Raises SessionLost, SandboxError."""
        answer = self._ask({"op": "status", "wait_ms": wait_ms}, wait_ms / 1000 + _STATUS_SECONDS)
        return Status.parse(answer)

    def status(self, wait_ms: int = 0) -> Status | Failed:
        """Like measure(), but returns a Failed if the bot has lost the session. Raises SandboxError.

        A bot that was killed together with everything else in its box is not to blame: SandboxError.
        """
        try:
            status = self.measure(wait_ms)
        except SessionLost as lost:
            return lost.failed
        if status.exit == -signal.SIGKILL:
            self.check_box()
        return status

    def check_box(self) -> None:
        """Raise SandboxError if the box, or everything in it, was killed from outside."""
        self.agent.fault()

    def give_up(self, failed: Failed) -> SessionLost:
        """Note that the bot has lost the session. Returns the error, which all later requests raise."""
        self._lost = failed
        return SessionLost(failed)

    def stop_run(self) -> None:
        """End the program that is being run. Raises SessionLost, SandboxError."""
        self._ask({"op": "stop"})

    def suspend(self) -> None:
        """Stop every process of the session until resume()."""
        self._ask_unless_lost({"op": "pause", "yes": True})

    def resume(self) -> None:
        self._ask_unless_lost({"op": "pause", "yes": False})

    def kill(self) -> None:
        """End every process of the session."""
        self._ask_unless_lost({"op": "kill"})

    def end(self) -> Report | None:
        """Have the session killed and wiped; None if the agent does not report that in time."""
        if self._sock is None:
            return None
        try:
            with contextlib.suppress(wire.Closed):  # its last message may still be unread
                wire.send(self._sock, {"op": "end"})
            answer, _, _ = wire.receive(self._sock, _END_SECONDS)
        except (wire.Closed, wire.Slow):
            return None
        return Report(**answer) if "clean" in answer else None

    def close(self) -> None:
        """Give the session up. The agent ends it when it sees that."""
        self.closed = True
        if self._sock is not None:
            self._sock.close()

    def _ask_unless_lost(self, fields: dict[str, Any]) -> None:
        with contextlib.suppress(SessionLost):
            self._ask(fields)

    def _ask(self, fields: dict[str, Any], seconds: float = _SETUP_SECONDS) -> dict[str, Any]:
        """One request and its answer. Raises SessionLost, SandboxError."""
        if self._lost is not None:
            raise SessionLost(self._lost)
        if self.closed or self._sock is None:
            raise SandboxError("the session is closed")
        with contextlib.suppress(wire.Closed):  # the agent's reason for ending may still be unread
            wire.send(self._sock, fields)
        return self._receive(self._sock, seconds)[0]

    def _receive(self, sock: socket.socket, seconds: float) -> tuple[dict[str, Any], list[int]]:
        deadline = time.monotonic() + seconds
        read_until(sock, seconds)
        try:
            answer, _, fds = wire.receive(sock, deadline - time.monotonic())
        except (wire.Closed, wire.Slow) as error:
            self._lose(seconds if isinstance(error, wire.Slow) else 0.0)
        if "broken" in answer or "outside" in answer:
            self.agent.close()
            raise SandboxError(answer.get("outside") or answer["broken"])
        return answer, fds

    def _lose(self, silent_s: float) -> NoReturn:
        """Find out why the session was lost, and close the box. Raises SessionLost, SandboxError."""
        try:
            # An agent that still answers, but not for this session, has given the session up.
            self._lost = self.agent.fault() or blame(Death(None, False), silent_s)
        finally:
            self.agent.close()
        raise SessionLost(self._lost)
