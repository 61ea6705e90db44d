"""Programs that are run afresh for each move, or the steps of a build, on the worker's side.

Theory of operation. What is charged is described in allowance.py.

Processes:
- The worker, here. It sends requests, collects the output and watches the time.
- What runs the programs: the session's spawner (inside/spawner.py), or the agent (inside/programs.py). It
  starts a program for each request and answers when no process of that run is left.
- The agent of the box, asked only about a run that takes long or went wrong: what bots have used so far,
  whether memory ran out; and asked to stop a run.

Pipes:
- A socket for requests (arguments, the game's file) and reports (status, times, the file).
- The programs' standard output and error are pipes of the worker.

Trust:
- Reports are bytes of known meaning, and output is bounded.
- The time that the spawner and the worker wait for a processor counts as waiting: both have to run for the
  program's sake.
- A run is first sampled when a quarter of its limit has passed, only to learn what was used until then and
  belongs to no process anymore (usage.UnattributedCpu), and then at the earliest moment at which the limit
  can have been reached. A report that has arrived when this process looks is in time.

Failure:
- A bot can kill the spawner, or stop it forever. Then all processes of the session are killed; that run has
  failed, and so does every later one of the session.
"""

import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from sandbox.api import NO_TIMES, Failed, SandboxError, Times
from sandbox.boxes.agent_link import KeptFromRunning, SessionLink
from sandbox.boxes.agent_messages import Status
from sandbox.boxes.allowance import Allowance, own_wait_ns
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.extension import Extension, Patience
from sandbox.boxes.reading import LateReading, drain, reading
from sandbox.boxes.suspend import suspend_unasked
from sandbox.boxes.waiting import spawner_thread
from sandbox.inside import wire
from sandbox.inside.head_tail import HeadTail, reports_out_of_memory
from sandbox.reason import NO_REASON, Reason

_STOP_MS = 2000  # for everything of a run to end
_RETRY_MS = 100  # before a request to stop is repeated: one that arrives before the run has begun is lost
_RECHECK_US = 25_000  # until the next sample, if no process exists but the spawner has not reported yet
_REPORT_US = 2_000_000  # for a report on a program whose end has been seen
_EXIT_MS = 300  # for the exit of a spawner that has closed its socket
_PACK_MS = 60_000
_STDERR_BYTES = 32 << 10  # kept of the beginning, and of the end, of standard error


class RunResult(NamedTuple):
    """How one run ended. `failed` is the kind of its failure, "" if there was none."""

    failed: str
    exit: int  # status; minus the signal number if a signal ended it
    file: bytes | None
    times: Times
    host: str = ""  # of a timeout, as in Failed


class NotStarted(Exception):
    """The program could not be started. `number` is the errno."""

    def __init__(self, number: int) -> None:
        super().__init__(os.strerror(number))
        self.number = number


class Runs:
    """Has a session's programs run, one by one, by the spawner or the agent. Made by BoxSession.runs()."""

    def __init__(self, link: SessionLink, sock: socket.socket, stdout: int, stderr: int) -> None:
        self.link = link
        self.sock = sock.fileno()
        self.stdout = stdout
        self.stderr = stderr
        self.errors = HeadTail(_STDERR_BYTES)
        self.errors_at: list[int] = []  # bytes of standard error before each run
        self.failed: Failed | None = None  # the bot has killed the spawner, or stopped it
        self.patience = Patience()  # with the extensions of all runs
        self._socket = sock
        self._counters = -1
        self._poll = select.poll()
        for fd in (self.sock, stdout, stderr):
            self._poll.register(fd, select.POLLIN)

    def set_counters(self, fd: int) -> None:
        """Take the descriptor of /proc/<pid>/schedstat of what runs the programs."""
        self._counters = fd

    def close(self) -> None:
        self._socket.close()
        for fd in (self.stdout, self.stderr, self._counters):
            if fd >= 0:
                os.close(fd)
        self.stdout = self.stderr = self._counters = -1

    def all_errors(self) -> bytes:
        """What is kept of standard error. Call when no process is left that could write there."""
        drain(self.stderr, self.errors)
        return self.errors.text()

    def run_to_end(
        self, args: Sequence[str], file: bytes | None, limit_us: int, output: HeadTail, most: int
    ) -> RunResult:
        """Have a program started, wait for its end and collect its output, at most `most` bytes, in `output`.

        No process of the run is left then. Raises NotStarted, SessionLost, SandboxError.
        """
        if self.link.closed:
            raise SandboxError("the session is closed")
        drain(self.stderr, self.errors)
        self.errors_at.append(self.errors.total)
        if self.failed is not None:
            return RunResult(self.failed.kind, -signal.SIGKILL, None, NO_TIMES)
        run = _Run(self, limit_us)
        self._send(wire.RUN.pack(file is not None) + _encode_arguments(args), file or b"")
        pipes = {self.stdout: output, self.stderr: self.errors}
        readers = {fd: partial(run.read, fd, into) for fd, into in pipes.items()}
        kind = ""
        while True:
            ready = self._poll.poll(max(0, run.check_ns - time.monotonic_ns()) / 1e6)
            now_ns = time.monotonic_ns()
            fds = [fd for fd, _ in ready]
            for fd, event in ready:
                if fd != self.sock and not event & select.POLLIN:  # closed, as in a build: it stays ready
                    self._poll.unregister(fd)
            for fd, read in readers.items():
                if fd in fds:
                    read()
            if output.total > most:
                kind = "flood"
            elif self.sock not in fds and now_ns >= run.check_ns:
                with reading(readers):
                    time_left = run.time_left()
                kind = "" if time_left or self._has_answered() else "timeout"
            if kind or self.sock in fds:
                return self._end(run, kind, output, most, now_ns)

    def _send(self, head: bytes, data: bytes) -> None:
        try:
            wire.send_bytes(self.sock, head, data)
        except wire.Closed:
            pass  # the end of the socket will be read
        except BlockingIOError:
            self.link.kill()  # the spawner has nothing else to do: the bot has stopped it

    def _has_answered(self, wait_ms: int = 0) -> bool:
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return bool(poll.poll(wait_ms))

    def _end(self, run: "_Run", kind: str, output: HeadTail, most: int, now_ns: int) -> RunResult:
        """Read the report of a run that has ended, or that is stopped here because of `kind`."""
        try:
            if kind:
                self._stop()
            report, content = wire.receive_bytes(self.sock)
            status, cpu_us, wait_us, has_file = wire.REPORT.unpack(report)
        except (wire.Closed, struct.error):
            return self._spawner_lost(run, kind, now_ns)
        if status < 0:
            raise NotStarted(-status)
        drain(self.stdout, output)
        exit_ = os.waitstatus_to_exitcode(status)
        if not kind and output.total > most:
            kind = "flood"
        if not kind and exit_ != 0:
            kind = self._failure_kind(exit_)
        file = content if has_file else None
        if kind == "timeout":
            return RunResult(kind, exit_, file, run.times_at_look, run.host)
        return RunResult(kind, exit_, file, run.times(now_ns, cpu_us, wait_us))

    def _stop(self) -> None:
        """Have the run stopped. Raises wire.Closed if the spawner does not react."""
        for _ in range(_STOP_MS // _RETRY_MS):
            self.link.stop_run()
            if self._has_answered(_RETRY_MS):
                return
        raise wire.Closed("the spawner does not react")

    def _spawner_lost(self, run: "_Run", kind: str, now_ns: int) -> RunResult:
        """No program can be run in this session anymore. Raises SessionLost, SandboxError."""
        if not kind:
            self.link.measure(_EXIT_MS)
            kind = self._failure_kind(-signal.SIGKILL)
        self.link.kill()
        self.failed = Failed(kind, describe_exit(-signal.SIGKILL))
        if kind == "timeout":
            return RunResult(kind, -signal.SIGKILL, None, run.times_at_look, run.host)
        return RunResult(kind, -signal.SIGKILL, None, run.times(now_ns, 0, 0))

    def _failure_kind(self, exit_: int) -> str:
        """Memory or crash. Raises SessionLost, SandboxError."""
        if exit_ == -signal.SIGKILL:
            self.link.check_box()
        drain(self.stderr, self.errors)
        return "memory" if reports_out_of_memory(self.errors) or self.link.measure().memory else "crash"

    def pack(self, most_files: int, most_bytes: int) -> Reason:
        """Have what a build left written into its result; why that failed, or NO_REASON.

        Raises SandboxError, and wire.Closed if the spawner has ended.
        """
        wire.send_bytes(self.sock, wire.PACK, json.dumps([most_files, most_bytes]).encode())
        if not self._has_answered(_PACK_MS):
            self.link.check_box()
            return Reason("result_too_slow", seconds=_PACK_MS // 1000)
        why = wire.receive_bytes(self.sock)[0].decode("utf-8", "replace")
        return Reason("result_bad", why=why) if why else NO_REASON

    def counters(self) -> tuple[int, int]:
        """CPU time and wait time of the spawner, in microseconds; zeros if it has ended."""
        try:
            used, waited, _ = os.pread(self._counters, 100, 0).split()
            return int(used) // 1000, int(waited) // 1000
        except (OSError, ValueError):
            return 0, 0


class _Run:
    """The times of one run."""

    def __init__(self, runs: Runs, limit_us: int) -> None:
        self.runs = runs
        self._unattributed_us: int | None = None  # until the first sample
        self._multithreaded = False
        self._gone_ns: int | None = None  # since when no process of it has been seen
        self._spawner = runs.counters()
        self._extension = Extension(limit_us, runs.link.agent.host.pressure, runs.patience)
        self._late_reading = LateReading()
        self._kept_from_running = KeptFromRunning(runs.link.agent.host)
        self._ours_ns = own_wait_ns()
        # The program may run before this process continues, so its time starts with the request.
        self._started_ns = time.monotonic_ns()
        self._allowance = Allowance(limit_us, self._started_ns)
        self._allowance.waiting.start_with([spawner_thread(self._spawner, None)])
        self.check_ns = self._started_ns + limit_us * 250  # the next sample

    def read(self, fd: int, into: HeadTail) -> None:
        """Read what the program has written so far."""
        self._late_reading.note(drain(fd, into))

    @property
    def times_at_look(self) -> Times:
        """The times at the last sample."""
        wall_us, cpu_us, wait_us, _ = self._allowance.times
        wait_us += self._extension.wait_us(self._started_ns + wall_us * 1000)
        return Times(wall_us, cpu_us, min(wait_us, wall_us))

    def times(self, now_ns: int, cpu_us: int, wait_us: int) -> Times:
        wall = (now_ns - self._started_ns) // 1000
        wait = wait_us + (own_wait_ns() - self._ours_ns) // 1000
        wait += max(0, self.runs.counters()[1] - self._spawner[1])  # zeros if killed
        wait += self._extension.wait_us(now_ns)
        # A wait of the spawner after its last report is counted only now, when it runs again. But it does not
        # wait while the program runs.
        return Times(wall, cpu_us, min(wait, max(0, wall - cpu_us)))

    @property
    def host(self) -> str:
        """What the host did until the time-out."""
        return str(self._extension)

    def time_left(self) -> bool:
        """Sample what has been used and set the time of the next sample. Raises SessionLost, SandboxError."""
        status = self.runs.link.measure()
        if status.exit is not None:  # then the end of its socket can be read
            self.check_ns = status.at_ns + 1_000_000
            return True
        if self._unattributed_us is None:
            self._unattributed_us = status.unattributed_us
        cpu_us = status.cpu_us + status.unattributed_us - self._unattributed_us
        self._multithreaded = self._multithreaded or len(status.threads) > 1
        spawner = spawner_thread(self.runs.counters(), status.spawner)
        self._allowance.blocked_us = self._late_reading.blocked_ns // 1000
        spawner_us = max(0, self.runs.counters()[0] - self._spawner[0])
        preempted_us = self._kept_from_running.preempted_us(status, spawner_us)
        self._allowance.uncounted_us = self._kept_from_running.unread_us()
        left_us = self._allowance.sample(
            status.at_ns, cpu_us, [*status.threads, spawner], self._multithreaded, preempted_us
        )
        awaited = self._is_awaited(status)
        if not left_us and status.threads:
            left_us = self._extension.sample(status.at_ns, cpu_us, self._allowance)
        elif not left_us and awaited:
            left_us = max(_RECHECK_US, self._allowance.limit_us // 4)
        if self._allowance.kept_waiting:
            suspend_unasked(())
        self.check_ns = status.at_ns + left_us * 1000
        return left_us > 0

    def _is_awaited(self, status: Status) -> bool:
        """Whether no process exists, as before the start and after the end: the spawner will report.

        Not for long: the bot may have stopped it. What others did while the program ended is not known.
        """
        if status.threads:
            self._gone_ns = None
            return False
        if self._gone_ns is None:
            self._gone_ns = status.at_ns
        gone_us = (status.at_ns - self._gone_ns) // 1000
        return self.times_at_look.wall_us < self._allowance.longest_us or gone_us < _REPORT_US


def _encode_arguments(args: Sequence[str]) -> bytes:
    """Arguments as inside/bots.py splits them: each preceded by a NUL, the last one followed by a NUL."""
    return b"\0".join([b"", *(os.fsencode(arg) for arg in args), b""])
