"""A program run afresh for each move, or the steps of a build, as the worker sees them through.

Theory of operation. A session's spawner (inside/spawner.py) starts a program for each request and answers
when it has ended and nobody is left of it; its output comes through pipes that are this process's. The
session's agent is asked only about what has gone on for long, or wrong: what bots have used so far, whether
memory ran out, to stop a run. What is charged is told in allowance.py; what the spawner and this process
waited for a processor counts as waiting here, since both have to run for the program's sake.

A run is first looked at when a quarter of its limit has gone by, only to know what until then was used and
shows in no process (usage.UnattributedCpu), and then at the earliest moment at which the limit can have been
reached. A report that is there when this process looks is in time.

A bot can kill the spawner, or stop it for good. Then everybody in the session is ended, that run has failed,
and so does every later one of the session.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sandbox.api import NO_TIMES, Failed, SandboxError, Times
from sandbox.boxes.allowance import Allowance, own_wait_ns
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.suspend import suspend_unasked
from sandbox.boxes.waiting import starter
from sandbox.inside import wire
from sandbox.inside.head_tail import HeadTail, reports_out_of_memory
from sandbox.inside.spawner import PACK, REPORT, RUN

if TYPE_CHECKING:
    from sandbox.boxes.box import Session

_STOP_MS = 2000  # for everything of a run to end
_AGAIN_MS = 100  # a wish to stop that comes before the run has begun is not heard
_AWAIT_US = 25_000  # between two looks at a spawner that has not told yet
_EXIT_MS = 300  # for a spawner that has closed its socket to end
_PACK_MS = 60_000
_KEPT = 32 << 10  # bytes of the beginning, and of the end, of standard error
_CHUNK = 64 << 10
_AT_ONCE = 1 << 20  # bytes of output that are read without a look at anything else


class RunResult(NamedTuple):
    """What has come of one run: `failed` is the kind of its failure, "" if all went well."""

    failed: str
    exit: int  # status; minus the signal number if a signal ended it
    output: HeadTail
    file: bytes | None
    times: Times


class NotStarted(Exception):
    """The program could not be started; `number` is the system's for the error."""

    def __init__(self, number: int) -> None:
        super().__init__(os.strerror(number))
        self.number = number


class Runs:
    """The worker's end of a spawner. Made by Session.runs()."""

    def __init__(self, session: Session, sock: socket.socket, stdout: int, stderr: int) -> None:
        self.session = session
        self.sock = sock.fileno()
        self.stdout = stdout
        self.stderr = stderr
        self.errors = HeadTail(_KEPT)
        self.gone: Failed | None = None  # what the bot has done to the spawner
        self._owner = sock
        self._counters = -1
        self._poll = select.poll()
        for fd in (self.sock, stdout, stderr):
            self._poll.register(fd, select.POLLIN)

    def watch(self, counters: int) -> None:
        """Take the descriptor of the spawner's /proc/.../schedstat."""
        self._counters = counters

    def close(self) -> None:
        self._owner.close()
        for fd in (self.stdout, self.stderr, self._counters):
            if fd >= 0:
                os.close(fd)
        self.stdout = self.stderr = self._counters = -1

    def all_errors(self) -> bytes:
        """What is kept of standard error, once nobody is left who could write there."""
        _drain(self.stderr, self.errors)
        return self.errors.text()

    def run_to_end(
        self, args: Sequence[str], file: bytes | None, limit_us: int, output: HeadTail, most: int
    ) -> RunResult:
        """Have a program started and wait for its end, its output (`most` bytes at most) put into `output`.

        Nobody is left of it then. Raises NotStarted, SessionLost, SandboxError.
        """
        if self.session.closed:
            raise SandboxError("the session is closed")
        if self.gone is not None:
            return RunResult(self.gone.kind, -signal.SIGKILL, output, None, NO_TIMES)
        run = _Run(self, limit_us)
        self._send(RUN.pack(file is not None) + _words(args), file or b"")
        run.begin()
        kind = ""
        while True:
            ready = self._poll.poll(max(0, run.check_ns - time.monotonic_ns()) / 1e6)
            now_ns = time.monotonic_ns()
            fds = [fd for fd, _ in ready]
            if self.stdout in fds:
                _drain(self.stdout, output)
            if self.stderr in fds:
                _drain(self.stderr, self.errors)
            if output.total > most:
                kind = "flood"
            elif self.sock not in fds and now_ns >= run.check_ns and not run.may_go_on():
                kind = "" if self._has_answered() else "timeout"
            if kind or self.sock in fds:
                return self._end(run, kind, output, most, now_ns)

    def _send(self, head: bytes, data: bytes) -> None:
        try:
            wire.send_bytes(self.sock, head, data)
        except wire.Closed:
            pass  # its end will be read
        except BlockingIOError:
            self.session.kill()  # a spawner has nothing else to do than to take it: the bot has stopped it

    def _has_answered(self, wait_ms: int = 0) -> bool:
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return bool(poll.poll(wait_ms))

    def _end(self, run: _Run, kind: str, output: HeadTail, most: int, now_ns: int) -> RunResult:
        """Take the report of a run that has ended, or is ended here for what it did (`kind`)."""
        try:
            if kind:
                self._stop()
            report, content = wire.receive_bytes(self.sock)
            status, cpu_us, wait_us, there = REPORT.unpack(report)
        except (wire.Closed, struct.error):
            return self._abandoned(run, kind, output, now_ns)
        if status < 0:
            raise NotStarted(-status)
        _drain(self.stdout, output)
        exit_ = os.waitstatus_to_exitcode(status)
        if not kind and output.total > most:
            kind = "flood"
        if not kind and exit_ != 0:
            kind = self._why(exit_)
        times = run.looked if kind == "timeout" else run.times(now_ns, cpu_us, wait_us)
        return RunResult(kind, exit_, output, content if there else None, times)

    def _stop(self) -> None:
        """Have the run ended. Raises wire.Closed if the spawner does not react any more."""
        for _ in range(_STOP_MS // _AGAIN_MS):
            self.session.ask({"op": "stop"})
            if self._has_answered(_AGAIN_MS):
                return
        raise wire.Closed("no reaction")

    def _abandoned(self, run: _Run, kind: str, output: HeadTail, now_ns: int) -> RunResult:
        """The spawner is no more: no program can be run in this session. Raises SessionLost, SandboxError."""
        if not kind:
            self.session.measured(_EXIT_MS)
            kind = self._why(-signal.SIGKILL)
        self.session.kill()
        self.gone = Failed(kind, describe_exit(-signal.SIGKILL, kind == "memory"))
        times = run.looked if kind == "timeout" else run.times(now_ns, 0, 0)
        return RunResult(kind, -signal.SIGKILL, output, None, times)

    def _why(self, exit_: int) -> str:
        """What kind of failure this is. Raises SessionLost, SandboxError."""
        if exit_ == -signal.SIGKILL:
            self.session.check_box_alive()
        _drain(self.stderr, self.errors)
        return (
            "memory" if reports_out_of_memory(self.errors) or self.session.measured()["memory"] else "crash"
        )

    def pack(self, most_files: int, most_bytes: int) -> str:
        """Have what a build has left written into its result; why not, "" if all is well.

        Raises SandboxError, and wire.Closed if there is no spawner any more.
        """
        wire.send_bytes(self.sock, PACK, json.dumps([most_files, most_bytes]).encode())
        if not self._has_answered(_PACK_MS):
            self.session.check_box_alive()
            return f"the result could not be collected within {_PACK_MS // 1000} s"
        return wire.receive_bytes(self.sock)[0].decode("utf-8", "replace")

    def counters(self) -> tuple[int, int]:
        """Processor and waiting time of the spawner, microseconds; zeros if it has ended."""
        try:
            used, waited, _ = os.pread(self._counters, 100, 0).split()
            return int(used) // 1000, int(waited) // 1000
        except (OSError, ValueError):
            return 0, 0


class _Run:
    """The time of one run."""

    def __init__(self, runs: Runs, limit_us: int) -> None:
        self.runs = runs
        self._unattributed_us: int | None = None  # before the first closer look
        self._multithreaded = False
        self._theirs = runs.counters()
        self._ours_ns = own_wait_ns()
        self._started_ns = time.monotonic_ns()
        self._limit_us = limit_us

    def begin(self) -> None:
        """It has been asked for."""
        now_ns = time.monotonic_ns()
        self._allowance = Allowance(self._limit_us, now_ns)
        self._allowance.waiting.start_with([starter(self._theirs, ())])
        self.check_ns = now_ns + self._limit_us * 250  # when to look closer

    @property
    def looked(self) -> Times:
        """At the last closer look."""
        return self._allowance.times

    def times(self, now_ns: int, cpu_us: int, wait_us: int) -> Times:
        wall = (now_ns - self._started_ns) // 1000
        wait = wait_us + (own_wait_ns() - self._ours_ns) // 1000
        wait += max(0, self.runs.counters()[1] - self._theirs[1])  # one that was killed counts no more
        # A spawner that was held up after its last report counts that only now, when it runs again.
        # But nobody waits while the program runs.
        return Times(wall, cpu_us, min(wait, max(0, wall - cpu_us)))

    def may_go_on(self) -> bool:
        """Look at what has been used; sets when to look again. Raises SessionLost, SandboxError."""
        status = self.runs.session.measured()
        at_ns, threads = status["at_ns"], status["threads"]
        if "exit" in status:  # then the end of its socket can be read
            self.check_ns = at_ns + 1_000_000
            return True
        if self._unattributed_us is None:
            self._unattributed_us = status["unattributed_us"]
        cpu_us = status["cpu_us"] + status["unattributed_us"] - self._unattributed_us
        self._multithreaded = self._multithreaded or len(threads) > 1
        ours = starter(self.runs.counters(), status["starter"])
        left_us = self._allowance.look(at_ns, cpu_us, [*threads, ours], self._multithreaded)
        if not left_us and not threads and self.looked.wall_us < self._allowance.longest_us:
            # No process is there before the start and after the end: the spawner will tell.
            left_us = max(_AWAIT_US, self._allowance.limit_us // 4)
        if self._allowance.kept_waiting:
            suspend_unasked(())
        self.check_ns = at_ns + left_us * 1000
        return left_us > 0


def _words(args: Sequence[str]) -> bytes:
    """Each with a NUL before it, and one after the last, as bots.py takes them apart."""
    return b"\0".join([b"", *(os.fsencode(arg) for arg in args), b""])


def _drain(fd: int, into: HeadTail) -> None:
    """Read what is there, but not for ever: somebody may be filling it all the while."""
    left = _AT_ONCE
    while left > 0:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        if data:
            into.add(data)
        left -= len(data)
        if len(data) < 4096:
            return
