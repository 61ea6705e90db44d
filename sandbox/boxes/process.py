"""A bot that plays a whole match: its pipes and counters on the worker's side.

What a bot is asked, and how long it may take to answer, is decided in channel.py.
"""

import fcntl
import os
import termios
import time
from collections.abc import Callable

from sandbox.api import Failed, Limits
from sandbox.boxes.agent_link import SessionLink
from sandbox.boxes.agent_messages import Status
from sandbox.boxes.exit_status import describe_exit
from sandbox.boxes.extension import Patience
from sandbox.boxes.reading import drain
from sandbox.hints import describe_flood, describe_memory, with_hint
from sandbox.inside.head_tail import HeadTail, reports_out_of_memory
from sandbox.reason import Reason

LONGEST_LINE = 64 << 10
_CHUNK = 64 << 10
_STDERR_BYTES = 32 << 10  # kept of the beginning, and of the end, of standard error
_RUNAWAY_US = 200_000  # CPU time of a suspended bot: more than threads use before they notice the signal
_EXIT_MS = 300  # to wait for the exit of a bot whose output has ended
_EXITS = 100  # such waits at most, as long as the bot is not asleep: on a busy host an exit takes long
_EXIT_US = 1_000_000  # of CPU time that it may use for that


class Process:
    """A bot that plays a whole match. Made by Session.start()."""

    def __init__(self, link: SessionLink, stdin: int, stdout: int, stderr: int, limits: Limits) -> None:
        self.link = link
        self.stdin = stdin  # -1 once closed
        self.stdout = stdout
        self.stderr = stderr
        self.errors = HeadTail(_STDERR_BYTES)
        self.errors_at: list[int] = []  # bytes of standard error when it was asked, for each ask
        self.failed: Failed | None = None  # once set, the bot never answers again
        self.buffer = b""
        self.used = (0, 0)  # CPU time and wait time of the main thread, microseconds, when last measured
        self.most_threads = 0  # seen at once, those of children included
        self.multithreaded = False  # when it was last asked, it had other threads besides the main one
        self.quick = False  # its last answer was quick: see quick.py
        self.patience = Patience()  # with all of its extensions
        self.late_answers = 0  # answers that are still to come to questions whose limit has passed
        self.suspended = False  # until it is asked again: see suspend.py
        self._suspended_at_us: int | None = None  # CPU time at the first sample after that
        self._limits = limits
        self._most_output = limits.output_bytes
        self._output_bytes = 0  # bytes so far
        self._in_long_line = False  # the line being read is too long, so the rest of it is dropped
        self._counters = -1
        self._measured_ns = 0

    def set_counters(self, fd: int) -> None:
        """Take the descriptor of the main thread's /proc/<pid>/schedstat."""
        self._counters = fd

    def close_input(self) -> None:
        fd, self.stdin = self.stdin, -1  # forgotten before it is closed: see _close_once
        _close_once(fd)

    def kill(self) -> None:
        self.link.kill()
        self.failed = self.failed or Failed("crash", Reason("stopped"))

    def suspend_if_running(self) -> None:
        """Suspend the bot until it is asked again, if one of its threads is running. Raises SandboxError.

        A suspended bot that runs again (a timer can send it SIGCONT) is killed.
        """
        status = self.link.status()
        if isinstance(status, Failed) or status.exit is not None:
            return
        running = any(thread.ready > 0 for thread in status.threads)
        if not self.suspended:
            self.suspended, self._suspended_at_us = running, None
        elif self._suspended_at_us is None:
            self._suspended_at_us = status.cpu_us  # by now all of its threads have stopped
        else:
            self._fail_if_it_ran(status.cpu_us - self._suspended_at_us)
        if running and self.failed is None:
            self.link.suspend()

    def suspend(self) -> None:
        """Suspend the bot until it is asked again, whether it is running or not. Raises SandboxError."""
        if self.failed is not None or self.suspended:
            return
        self.link.suspend()
        self.suspended, self._suspended_at_us = True, None
        status = self.link.status()
        if not isinstance(status, Failed):
            self._suspended_at_us = status.cpu_us

    def resume(self) -> None:
        """Let the bot run again, because it is asked; sets `failed` if it has run meanwhile."""
        if self._suspended_at_us is not None:
            status = self.link.status()
            if not isinstance(status, Failed):
                self._fail_if_it_ran(status.cpu_us - self._suspended_at_us)
        self.suspended, self._suspended_at_us = False, None
        self.link.resume()

    def _fail_if_it_ran(self, used_us: int) -> None:
        """`used_us`: CPU time since it was suspended."""
        if used_us > _RUNAWAY_US:
            self.link.kill()
            self.failed = self.failed or Failed("crash", Reason("ran_while_suspended"))

    def close(self) -> None:
        """Close the descriptors. The session ends the bot."""
        self.close_input()
        fds = self.stdout, self.stderr, self._counters
        self.stdout = self.stderr = self._counters = -1
        for fd in fds:
            _close_once(fd)
        self.failed = self.failed or Failed("crash", Reason("match_over"))

    def drain_errors(self) -> bool:
        """Read standard error. Returns whether the bot may have been waiting for room."""
        return drain(self.stderr, self.errors)

    def all_errors(self) -> bytes:
        """What is kept of standard error. Call when no process is left that could write there."""
        self.drain_errors()
        return self.errors.text()

    @property
    def can_be_quick(self) -> bool:
        """Whether its next answer may be quick, so that only its wall time has to be measured: quick.py."""
        return self.quick and not (
            self.buffer
            or self.failed is not None
            or self.multithreaded
            or self.suspended
            or self.late_answers
            or self._in_long_line
        )

    def measure(self) -> tuple[int, int]:
        """CPU time and wait time of the main thread since its start."""
        try:
            used, waited, _ = os.pread(self._counters, 100, 0).split()
            self.used = int(used) // 1000, int(waited) // 1000
        except (OSError, ValueError):
            pass  # the bot has ended: keep the last figures
        self._measured_ns = time.monotonic_ns()
        return self.used

    def measure_at(self, asked_ns: int) -> tuple[int, int]:
        """What measure() would have returned when the bot was asked, a while ago; never less than that.

        Between the last measurement and the question it cannot have used, or waited, longer than that took.
        """
        passed_us = max(0, asked_ns - self._measured_ns) // 1000
        (used_us, waited_us), (most_used_us, most_waited_us) = self.used, self.measure()
        return min(used_us + passed_us, most_used_us), min(waited_us + passed_us, most_waited_us)

    def sample(self) -> Status | None:
        """The agent's status of this bot; None if no answer can come anymore, and then `failed` is set.

        Raises SandboxError.
        """
        status = self.link.status()
        if isinstance(status, Failed):
            self.failed = self.failed or status
        elif status.exit is not None and not _readable(self.stdout):
            self.failed = self.failed or self._why_ended(status)
        else:
            return status
        return None

    def discard_output(self) -> None:
        """Drop what the bot wrote before it was asked, late answers included."""
        self.discard_buffer()
        while self.failed is None and _readable(self.stdout):
            self._read()
            self.discard_buffer()

    def discard_buffer(self) -> None:
        if self.late_answers:
            self.late_answers -= min(self.late_answers, self.buffer.count(b"\n"))
        self.buffer = b""

    def read_at_once(self) -> bytes | None:
        """The next line, if a single read gives one whole line and nothing else. Otherwise None.

        What was read is then kept for read_line(). Only for a bot that `can_be_quick`, and has written.
        """
        data = os.read(self.stdout, _CHUNK)
        output = self._output_bytes + len(data)
        if (
            data.find(b"\n") == len(data) - 1
            and 0 < len(data) <= LONGEST_LINE
            and output <= self._most_output
        ):
            self._output_bytes = output
            return data[:-1]
        self._add_to_buffer(data)
        return None

    def read_line(self) -> bytes | None:
        """The next line if it is there; sets `failed` if none can come anymore."""
        if (line := self.take_line()) is not None:
            return line
        if self._read():
            return None if self.failed else self.take_line()
        if self.buffer:  # ended without a newline
            line, self.buffer = self.buffer[:LONGEST_LINE], b""
            return line
        self.failed = self.failed or self._why_ended(self._await_exit())
        return None

    def _await_exit(self) -> Status | Failed:
        """Wait until a bot whose output has ended exits, sleeps, or is seen to continue; its status then."""
        used_us = None
        for _ in range(_EXITS):
            status = self.link.status(_EXIT_MS)
            if isinstance(status, Failed) or status.exit is not None:
                break
            used_us = status.cpu_us if used_us is None else used_us
            asleep = status.threads and not any(thread.ready for thread in status.threads)
            if asleep or status.cpu_us - used_us > _EXIT_US:
                break
        return status

    def _read(self) -> bool:
        """Read once into the buffer; False at the end of the output."""
        try:
            data = os.read(self.stdout, _CHUNK)
        except BlockingIOError:
            return True
        self._add_to_buffer(data)
        return bool(data)

    def _add_to_buffer(self, data: bytes) -> None:
        self._output_bytes += len(data)
        if self._output_bytes > self._most_output:
            self.link.kill()
            self.failed = Failed("flood", describe_flood(self._most_output))
            data = self.buffer = b""
        if self._in_long_line:  # still inside a line whose beginning was the answer
            _, newline, data = data.partition(b"\n")
            self._in_long_line = not newline
        self.buffer = self.buffer + data if self.buffer else data

    def take_line(self) -> bytes | None:
        """Take a line that is complete, or too long, out of the buffer."""
        end = self.buffer.find(b"\n", 0, LONGEST_LINE + 1)
        if end >= 0:
            line, self.buffer = self.buffer[:end], self.buffer[end + 1 :]
            return line
        if len(self.buffer) >= LONGEST_LINE:
            line, self.buffer = self.buffer[:LONGEST_LINE], self.buffer[LONGEST_LINE:]
            _, newline, self.buffer = self.buffer.partition(b"\n")
            self._in_long_line = not newline
            return line
        return None

    def skip_lines(self, until: Callable[[bytes], bool]) -> bytes:
        """Take lines out of the buffer, up to the first for which `until` is true; returns the last one."""
        line, start = b"", 0
        while (end := self.buffer.find(b"\n", start, start + LONGEST_LINE + 1)) >= 0:
            line, start = self.buffer[start:end], end + 1
            if until(line):
                break
        self.buffer = self.buffer[start:]
        return line

    def _why_ended(self, status: Status | Failed) -> Failed:
        if isinstance(status, Failed):
            return status
        if status.exit is None:
            return Failed("crash", Reason("output_closed"))
        self.drain_errors()
        memory = status.exit != 0 and (status.memory or reports_out_of_memory(self.errors))
        if memory:
            return Failed("memory", describe_memory(self._limits.memory_mib))
        errors = self.errors.text().decode("utf-8", "replace")
        return Failed("crash", with_hint(describe_exit(status.exit), errors, self._limits))


def _readable(fd: int) -> bool:
    return fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"


def _close_once(fd: int) -> None:
    """Close a descriptor that its owner has forgotten already.

    A signal may end the match right after that. If the owner still knew it, cleaning up would close its
    number again, which may be another's by then.
    """
    if fd >= 0:
        os.close(fd)
