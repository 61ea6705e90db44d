"""A box and its sessions, the same for every backend: a backend only starts the agent.

Theory of operation.

Processes:
- The worker, here, and the agent of the box (agent_link.py).
- A session starts either a bot for a whole match (process.py), or what runs a program for each move or each
  step of a build (runs.py).

Pipes:
- The worker makes the pipes of a bot's standard streams and passes the bot's ends to the agent. No byte is
  relayed.

Trust:
- A box shows one artifact only, and one session at a time. The agent reports whether a session left it clean.

Failure:
- A box that was lost, or that a session did not leave clean, is closed and never used again.
- A worker may be interrupted anywhere (SystemExit from a signal handler). A session that is closed after that
  either gets its report from the agent or closes the box.
"""

import contextlib
import errno
import fcntl
import os
import signal
import socket
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sandbox.api import NO_TIMES, Failed, Limits, ProgramRun, SandboxError, Usage
from sandbox.boxes import packages
from sandbox.boxes.agent_link import AgentHost, AgentLink, NotBegun, SessionLink, SessionLost
from sandbox.boxes.agent_messages import BoxSpec
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.process import Process
from sandbox.boxes.reading import ROOM
from sandbox.boxes.runs import NotStarted, RunResult, Runs
from sandbox.boxes.suspend import register
from sandbox.hints import describe_flood, describe_full, describe_memory, with_hint
from sandbox.inside import bundle, wire, workspace
from sandbox.inside.head_tail import HeadTail
from sandbox.reason import Reason

_SEND_TIMEOUT = struct.pack("ll", 5, 0)  # of a request to a spawner, which has nothing else to do


class Box:
    """An open box. Made by open_box()."""

    def __init__(
        self, link: AgentLink, command: Sequence[str], limits: Limits, kib: int, missing: str
    ) -> None:
        self.link = link
        self.command = command
        self.limits = limits
        self.kib = kib  # memory that it takes while no session is open
        self.missing = missing
        self._session: BoxSession | None = None

    @property
    def host(self) -> AgentHost:
        return self.link.host

    @property
    def alive(self) -> bool:
        return self.link.alive

    def session(self) -> "BoxSession":
        if self._session is not None and not self._session.closed and self.link.open:
            raise SandboxError("the box has a session already")
        self.link.require_open()
        self._session = BoxSession(self)
        return self._session

    def close(self) -> None:
        """End every process of the box; a session that is still open is closed."""
        if self._session is not None:
            self._session.release()
        self.link.close()


def spawned_by_agent(command: Sequence[str], python: str | None, limits: Limits) -> bool:
    """Whether the agent itself starts the bots of a box: if they are programs without a limit of CPU time."""
    return bool(command) and python is None and limits.cpu_s is None


def open_box(
    host: AgentHost,
    files: Path,
    limits: Limits,
    filters: tuple[bytes, bytes],
    command: Sequence[str],
    python: str | None,
    key: int = 0,
    shown: str = "",
) -> Box:
    """Hand the agent in `host` everything it needs. If that fails, destroys the host: SandboxError.

    command: none for a build. shown: the folder in the box of packages for Python bots; "" if it needs none.
    """
    spec = BoxSpec(
        uids=host.uids,
        own_filter=len(filters[0]),
        memory_counted=host.memory_counted,
        spawned_by_agent=spawned_by_agent(command, python, limits),
        key=key,
        command=list(command),
        python=python,
        memory=limits.memory_mib << 20,
        processes=limits.processes,
        work=limits.work_mib << 20,
        open_files=limits.open_files,
        cpu_s=limits.cpu_s,
        packages=shown,
        environment=_environment(host, shown) | ({} if command else NO_RETRIES),
        counts=list(host.counts),
    )
    link = AgentLink(host)
    with contextlib.ExitStack() as stack:
        try:
            packed = stack.enter_context(tempfile.TemporaryFile())
            bundle.pack(str(files), packed, most_files=100_000, most_bytes=1 << 30)
            packed.seek(0)
            worker = os.pidfd_open(os.getpid())
            stack.callback(os.close, worker)
            prepared = link.prepare(spec, b"".join(filters), (packed.fileno(), worker, *host.counts.values()))
        except (wire.Closed, wire.Slow, OSError, bundle.BadBundle) as error:
            raise link.failure("a box could not be prepared", error) from error
        kib = prepared.kib + (os.fstat(packed.fileno()).st_size >> 10)
    return Box(link, command, limits, kib, prepared.missing)


# A box has no network: a build that looks for a package there fails at once, not after a minute.
NO_RETRIES = {"npm_config_fetch_retries": "0", "PIP_RETRIES": "0"}


def _environment(host: AgentHost, shown: str) -> dict[str, str]:
    """The environment variables of bots."""
    usual = {"PATH": host.path, "HOME": "/box/work", "LANG": "C.UTF-8"}
    return usual | {"PYTHONPATH": shown, **packages.ENVIRONMENT} if shown else usual


class BoxSession:
    """One seat of one match, or one build."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.link = SessionLink(box.link)
        self.stderr = b""
        self.stderr_at: tuple[int, ...] = ()
        self._started: Process | Runs | None = None
        self._output_bytes = 0  # of all runs

    @property
    def closed(self) -> bool:
        return self.link.closed

    def start(self) -> Process:
        if self._started is not None:
            raise SandboxError("the session has started its bot already")
        (theirs_in, ours_in), (ours_out, theirs_out) = _pipe(reading=False), _pipe(reading=True)
        ours_error, theirs_error = _large_pipe()
        process = Process(self.link, ours_in, ours_out, ours_error, self.box.limits)
        self._started = process
        register(process)
        try:
            process.set_counters(self.link.begin("start", (theirs_in, theirs_out, theirs_error)))
        except SessionLost as lost:
            process.failed = lost.failed
        except NotBegun as error:
            process.failed = self._why_not_begun(error)
        return process

    def run(self, args: Sequence[str], file: bytes | None, seconds: float) -> ProgramRun:
        limits = self.box.limits
        most = limits.output_bytes - self._output_bytes
        try:
            output = HeadTail(limits.output_bytes)
            result = self.runs().run_to_end(args, file, int(seconds * 1e6), output, most)
        except SessionLost as lost:
            return ProgramRun(lost.failed, -signal.SIGKILL, b"", None, NO_TIMES)
        except NotStarted as error:
            return ProgramRun(Failed("crash", self._why_not_started(error)), -1, b"", file, NO_TIMES)
        self._output_bytes += output.total
        text = output.text() if output.total <= most else b""
        failed = None
        if result.failed:
            reason = self._why_failed(result, seconds)
            failed = Failed(result.failed, reason, result.times, host=result.host)
        return ProgramRun(failed, result.exit, text, result.file, result.times)

    def _why_not_started(self, error: NotStarted) -> Reason:
        if error.number == errno.ENOSPC:
            full = describe_full(self.box.limits)
            return Reason("folder_full_for_file", full=full)
        command = " ".join(self.box.command)[:200]
        return self._with_hint(Reason("not_started", command=command, why=str(error)))

    def _why_failed(self, result: RunResult, seconds: float) -> Reason:
        if result.failed == "timeout":
            return Reason("run_too_slow", seconds=seconds)
        if result.failed == "flood":
            return describe_flood(self.box.limits.output_bytes)
        if result.failed == "memory":
            return describe_memory(self.box.limits.memory_mib)
        errors = self.runs().errors.text().decode("utf-8", "replace")
        return with_hint(describe_exit(result.exit), errors, self.box.limits)

    def _with_hint(self, reason: Reason) -> Reason:
        return with_hint(reason, str(reason), self.box.limits)

    def runs(self, result: int = -1) -> Runs:
        """What runs the session's programs, started on the first call. Raises SessionLost, SandboxError.

        `result`: in a build, the file to pack its result into. Standard error then goes to standard output.
        """
        if isinstance(self._started, Runs):
            return self._started
        if self._started is not None:
            raise SandboxError("the session has started its bot already")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SEND_TIMEOUT)
        (ours_out, theirs_out), (ours_error, theirs_error) = _large_pipe(), _large_pipe()
        runs = self._started = Runs(self.link, ours, ours_out, ours_error)
        fds: tuple[int, ...] = (theirs.detach(), theirs_out, theirs_error)
        if result >= 0:
            os.dup2(theirs_out, theirs_error)
            fds += (os.dup(result),)
        try:
            runs.set_counters(self.link.begin("runs", fds))
        except NotBegun as error:
            raise self.link.give_up(self._why_not_begun(error)) from error
        return runs

    def _why_not_begun(self, error: NotBegun) -> Failed:
        reason = Reason("text", text=str(error))
        if str(error) == "overfull":
            reason = Reason(
                "folder_too_small", most=f"{self.box.limits.work_mib} MiB", files=workspace.INODES
            )
        return Failed("crash", self._with_hint(reason))

    def close(self) -> Usage:
        if self.closed or self._started is None:
            self.link.close()
            return Usage(0, 0)
        report = None
        try:
            report = self.link.end()
            if report is not None:
                self.stderr = self._started.all_errors()
                self.stderr_at = _offsets_in_kept(
                    self.stderr, self._started.errors.total, self._started.errors_at
                )
        finally:
            self.release()
            # Without a report the session did not end, or this or an earlier call was interrupted (Ctrl-C).
            # And a kill for lack of memory would be blamed on the next session.
            if report is None or not report.clean or report.memory:
                self.box.close()
        return Usage(report.cpu_us, report.peak_kib) if report is not None else Usage(0, 0)

    def release(self) -> None:
        """Close the session's socket and pipes. The agent ends a session whose socket is closed."""
        self.link.close()
        if self._started is not None:
            self._started.close()


def _offsets_in_kept(kept: bytes, total: int, offsets: Sequence[int]) -> tuple[int, ...]:
    """Convert offsets in standard error to offsets in what is kept of it, its beginning and its end."""
    if len(kept) == total:
        return tuple(offsets)
    cut = min(total, len(kept)) // 2
    return tuple([offset if offset <= cut else max(cut, len(kept) - total + offset) for offset in offsets])


def _pipe(reading: bool) -> tuple[int, int]:
    """A pipe, (reading end, writing end). The end that stays here, as `reading` says, does not block."""
    ends = os.pipe()
    ours, theirs = ends if reading else reversed(ends)
    os.set_blocking(ours, False)
    os.fchmod(theirs, 0o666)  # so that a bot of another uid may open /dev/stdout by its path
    return ends


def _large_pipe() -> tuple[int, int]:
    """A pipe to read from, with a large buffer, for output of any length."""
    ends = _pipe(reading=True)
    with contextlib.suppress(OSError):  # beyond the user's limit of pipe pages it keeps the usual size
        fcntl.fcntl(ends[0], fcntl.F_SETPIPE_SZ, ROOM)
    return ends
