"""A bot that plays a whole match: its pipes and counters, as the referee holds them.

What it is asked, and how long it may take to answer, is the channel's affair (channel.py).
"""

import fcntl
import os
import termios
import time
from typing import TYPE_CHECKING, Any

from sandbox.api import Failed
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.waiting import Thread
from sandbox.inside.head_tail import HeadTail, reports_out_of_memory

if TYPE_CHECKING:
    from sandbox.boxes.box import Session

LONGEST_LINE = 64 << 10
_CHUNK = 64 << 10
_KEPT = 32 << 10  # bytes of the beginning, and of the end, of its standard error
_FRESH_NS = 1_000_000  # counters read less long ago than this still tell what they were at the asking
_ESCAPED_US = 200_000  # more than threads need to become aware that they are stopped
_EXIT_MS = 300  # how long to wait for the exit of a bot whose output has ended


class Process:
    """A bot that plays a whole match. Made by Session.start()."""

    def __init__(self, session: "Session", stdin: int, stdout: int, stderr: int, most: int) -> None:
        self.session = session
        self.stdin = stdin  # -1 once closed
        self.stdout = stdout
        self.stderr = stderr
        self.errors = HeadTail(_KEPT)
        self.failed: Failed | None = None  # for good
        self.buffer = b""
        self.cut = False  # the line being read was too long: what is left of it is dropped
        self.written = 0  # bytes of output so far
        self.most = most
        self.most_threads = 0  # at once, children included, as far as has been looked
        self.multithreaded = False  # has had more than one thread, children included, when it was asked
        self.late_answers = 0  # answers that were not there in time
        self.suspended = False  # until it is asked again: see suspend.py
        self._suspended_at_us: int | None = None  # of processor time
        self._counters = -1
        self.used = (0, 0)  # processor and waiting time of the main thread, microseconds
        self._measured_ns = 0

    def watch(self, counters: int) -> None:
        """Take the descriptor of the main thread's /proc/.../schedstat."""
        self._counters = counters

    def close_input(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def kill(self) -> None:
        self.session.kill()
        self.failed = self.failed or Failed("crash", "was stopped")

    def suspend_if_running(self) -> None:
        """Until it is asked again, if any thread is running or about to. Raises SandboxError.

        One that has been stopped, and has set itself going again (a timer can send SIGCONT), is ended.
        """
        status = self.session.status()
        if "exit" in status or "lost" in status:
            return
        runs = any(Thread(*thread).ready for thread in status["threads"])
        if not self.suspended:
            self.suspended, self._suspended_at_us = runs, None
        elif self._suspended_at_us is None:
            self._suspended_at_us = status["cpu_us"]  # the first look since: by now all of it has stopped
        elif status["cpu_us"] - self._suspended_at_us > _ESCAPED_US:
            self.session.kill()
            self.failed = self.failed or Failed("crash", "went on running after it had been stopped")
        if runs and self.failed is None:
            self.session.pause(True)

    def resume(self) -> None:
        self.suspended = False
        self.session.pause(False)

    def close(self) -> None:
        """Let go of the descriptors; the session ends the bot."""
        self.close_input()
        for fd in (self.stdout, self.stderr, self._counters):
            if fd >= 0:
                os.close(fd)
        self.stdout = self.stderr = self._counters = -1
        self.failed = self.failed or Failed("crash", "its match is over")

    def drain_errors(self) -> None:
        """Read what there is of its standard error, but not for ever, should it go on writing."""
        for _ in range(16):
            try:
                data = os.read(self.stderr, _CHUNK)
            except BlockingIOError:
                return
            self.errors.add(data)
            if len(data) < _CHUNK:
                return

    def all_errors(self) -> bytes:
        """What is kept of its standard error, once nobody is left who could write there."""
        self.drain_errors()
        return self.errors.text()

    def measure(self) -> tuple[int, int]:
        """Processor and waiting time of the main thread since its start."""
        try:
            used, waited, _ = os.pread(self._counters, 100, 0).split()
            self.used = int(used) // 1000, int(waited) // 1000
        except (OSError, ValueError):
            pass  # it has ended: the last figures stay
        self._measured_ns = time.monotonic_ns()
        return self.used

    def at_asking(self) -> tuple[int, int]:
        if time.monotonic_ns() - self._measured_ns < _FRESH_NS:
            return self.used
        return self.measure()

    def forget(self) -> None:
        """Drop what it said without being asked, or too late."""
        self.drop()
        while self.failed is None and _readable(self.stdout):
            self._read()
            self.drop()

    def drop(self) -> None:
        if self.late_answers:
            self.late_answers -= min(self.late_answers, self.buffer.count(b"\n"))
        self.buffer = b""

    def _read(self) -> bool:
        """Read once into the buffer; False at the end of its output."""
        try:
            data = os.read(self.stdout, _CHUNK)
        except BlockingIOError:
            return True
        ended = not data
        self.written += len(data)
        if self.written > self.most:
            self.session.kill()
            self.failed = Failed("flood", f"wrote more than {self.most >> 10} KiB to its standard output")
        if self.cut:  # still inside a line whose beginning was an answer
            _, newline, data = data.partition(b"\n")
            self.cut = not newline
        self.buffer = self.buffer + data if self.buffer else data
        return not ended

    def line(self) -> bytes | None:
        """Take a complete (or over-long) line out of the buffer."""
        end = self.buffer.find(b"\n", 0, LONGEST_LINE + 1)
        if end >= 0:
            line, self.buffer = self.buffer[:end], self.buffer[end + 1 :]
            return line
        if len(self.buffer) >= LONGEST_LINE:
            line, self.buffer = self.buffer[:LONGEST_LINE], self.buffer[LONGEST_LINE:]
            _, newline, self.buffer = self.buffer.partition(b"\n")
            self.cut = not newline
            return line
        return None

    def read_line(self) -> bytes | None:
        """The next line if it is there; sets `failed` if none can come any more."""
        if (line := self.line()) is not None:
            return line
        if self._read():
            return None if self.failed else self.line()
        if self.buffer:  # ended without a newline
            line, self.buffer = self.buffer[:LONGEST_LINE], b""
            return line
        self.failed = self.failed or self._end_reason(self.session.status(_EXIT_MS))
        return None

    def _end_reason(self, status: dict[str, Any]) -> Failed:
        if "lost" in status:
            lost = status["lost"]
            assert isinstance(lost, Failed)
            return lost
        if "exit" not in status:
            return Failed("crash", "closed its standard output")
        self.drain_errors()
        memory = status["exit"] != 0 and (status["memory"] or reports_out_of_memory(self.errors))
        return Failed("memory" if memory else "crash", describe_exit(status["exit"], memory))

    def gone(self, status: dict[str, Any]) -> Failed | None:
        """Why no answer can come, if the status says so and nothing is left to be read."""
        if "lost" not in status and ("exit" not in status or _readable(self.stdout)):
            return None
        self.failed = self.failed or self._end_reason(status)
        return self.failed


def _readable(fd: int) -> bool:
    return fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"
