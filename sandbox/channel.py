"""Asking bots for a line each, over the pipes that they were started on, within fair time limits.

Theory of operation. The referee holds the other ends of each bot's standard input and output, so an
answer takes two system calls and no process stands between. `exchange` writes to all bots before it
waits for any, then polls until each has answered, failed, or used up its limit.

Time. What is charged is wall time less the time in which the bot was ready to run but had to wait
for a processor, and never less than the processor time it used (several busy threads wait for each
other all the time). For a quick answer one read of the main thread's counters tells (their
descriptor came from the session's keeper). An answer that takes longer than a quarter of its limit
is looked at more closely: the keeper adds up the counters of all threads and children then, and
again at the earliest moment at which the limit can have been reached; if less has been charged, the
bot gets the difference. A bot that sleeps is thus stopped at its limit, one that spins when it has
used it, and any at ten times its limit. An answer that is there when this process looks is in time:
it would have looked at the limit, so if it is late, it is late itself, for want of a processor.

The first closer look of a match cannot tell how long threads that were there before the question
have waited since; it gives credit to those started since, and from then on the counters of such a
bot are added up at every question.

An answer that comes after its limit is still an answer to that question: when the bot is asked again,
what it owes is skipped, whether it had come before or comes now. A bot that stays in play after it was
late has thus to answer every question by one line, however late.

A bot can do nothing here but fail: writes and reads do not block, lines and output are capped, and
the end of its output after a complete answer is no failure until it is asked again.
"""

import errno
import fcntl
import os
import select
import termios
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from sandbox.api import Failed, Line, Times

if TYPE_CHECKING:
    from sandbox.api import Process as AnyProcess
    from sandbox.box import Session

K = TypeVar("K")

LONGEST_LINE = 64 << 10
_CHUNK = 64 << 10
_REST = 200  # bytes of an unfinished line that are told
_FRESH_NS = 1_000_000  # counters read less long ago than this still tell what they were at the asking
_EXIT_MS = 300  # how long to wait for the exit of a bot whose output has ended


class Process:
    """A bot that plays a whole match. Made by Session.start()."""

    def __init__(self, session: "Session", stdin: int, stdout: int, most: int) -> None:
        self.session = session
        self.stdin = stdin  # -1 once closed
        self.stdout = stdout
        self.failed: Failed | None = None  # for good
        self.buffer = b""
        self.cut = False  # the line being read was too long: what is left of it is dropped
        self.written = 0  # bytes of output so far
        self.most = most
        self.crowded = False  # has had more than one thread, children included, when it was asked
        self.owed = 0  # answers that were not there in time
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

    def close(self) -> None:
        """Let go of the descriptors; the session ends the bot."""
        self.close_input()
        for fd in (self.stdout, self._counters):
            if fd >= 0:
                os.close(fd)
        self.stdout = self._counters = -1
        self.failed = self.failed or Failed("crash", "its match is over")

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
        if self.owed:
            self.owed -= min(self.owed, self.buffer.count(b"\n"))
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
        self.failed = self.failed or self._how_it_ended(self.session.status(_EXIT_MS))
        return None

    def _how_it_ended(self, status: dict[str, Any]) -> Failed:
        from sandbox.box import how_it_ended

        if "lost" in status:
            lost = status["lost"]
            assert isinstance(lost, Failed)
            return lost
        if "exit" not in status:
            return Failed("crash", "closed its standard output")
        memory = status["memory"] and status["exit"] != 0
        return Failed("memory" if memory else "crash", how_it_ended(status["exit"], memory))

    def gone(self, status: dict[str, Any]) -> Failed | None:
        """Why no answer can come, if the status says so and nothing is left to be read."""
        if not ("exit" in status or "lost" in status) or _readable(self.stdout):
            return None
        self.failed = self.failed or self._how_it_ended(status)
        return self.failed


def _readable(fd: int) -> bool:
    return fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"


class _Wait(Generic[K]):
    """One bot that is being waited for. Counters are (processor time, waiting time), microseconds."""

    base: tuple[int, int] | None = None  # all threads' counters at the question or the first closer look
    before: tuple[int, int] = (0, 0)  # what is to be counted from between the question and then
    known: tuple[int, int] = (0, 0)  # since the question, at the last closer look
    threads: int = 0  # that were there at the last closer look
    graced: bool = False

    def __init__(self, key: K, process: Process, seconds: float, unsent: bytes) -> None:
        self.key = key
        self.process = process
        self.limit_us = int(seconds * 1e6)
        self.unsent = unsent
        self.asks = bool(unsent)
        if process.crowded:
            status = process.session.status()
            self.base = None if "lost" in status else (status["cpu_us"], status["wait_us"])
        self.used = process.at_asking()  # the main thread's counters at the question
        self.started_ns = time.monotonic_ns()
        self.check_ns = self.started_ns + self.limit_us * (1000 if self.base else 250)  # the next closer look

    def send(self) -> None:
        """Write what the bot will take. One that has closed its input may still answer."""
        if self.unsent and self.process.stdin >= 0:
            try:
                self.unsent = self.unsent[os.write(self.process.stdin, self.unsent) :]
                return
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno != errno.EPIPE:
                    raise
        self.unsent = b""

    def times(self, now_ns: int) -> Times:
        wall = (now_ns - self.started_ns) // 1000
        cpu, wait = self._main_thread()
        if self.base is not None:
            cpu, wait = max(cpu, self.known[0]), max(wait, self.known[1])
        # What was read up to a millisecond before the question may hold a little from before it.
        return Times(wall, cpu if cpu < wall else wall, wait if wait < wall else wall)

    def _main_thread(self) -> tuple[int, int]:
        cpu, wait = self.process.measure()
        return cpu - self.used[0], wait - self.used[1]

    def read(self, now_ns: int) -> Line | Failed | None:
        """What has come of it, if its output can be read."""
        line = self.process.read_line()
        while self.process.owed and line is not None:
            self.process.owed -= 1
            line = self.process.line()
        if line is not None:
            return Line(line, self.times(now_ns))
        failed = self.process.failed
        return None if failed is None else Failed(failed.kind, failed.reason, self.times(now_ns))

    def look_closer(self) -> Failed | None:
        """Add up what has been charged; a Failed at the limit, else says when to look again."""
        status = self.process.session.status(since_ns=0 if self.base else self.started_ns)
        gone = self.process.gone(status)
        if gone is not None or "lost" in status:
            return gone
        self._count(status)
        wall = (status["at_ns"] - self.started_ns) // 1000
        times = Times(wall, *self.known)
        fewer, self.threads = status["threads"] < self.threads, status["threads"]
        if times.charged_us >= self.limit_us and fewer and not self.graced:
            # A thread has ended, and how long it had waited since the last look has gone with it.
            self.graced = True
            self.check_ns = status["at_ns"] + self.limit_us * 250
        elif times.charged_us >= self.limit_us or wall >= 10 * self.limit_us + 500_000:
            self.process.owed += self.asks
            reason = f"gave no answer within {self.limit_us / 1e6:g} s"
            return Failed("timeout", reason, times, self.process.buffer[:_REST])
        else:
            self.check_ns = status["at_ns"] + max(1_000_000, (self.limit_us - times.charged_us) * 1000)
        return None

    def _count(self, status: dict[str, Any]) -> None:
        """Bring `known` up to date. Threads that end take their counters with them: it never falls."""
        everything = (status["cpu_us"], status["wait_us"])
        if self.base is None:
            self.base = everything
            young_cpu, young_wait, older = status["young"]
            self.process.crowded = older > 0
            cpu, wait = self._main_thread()
            self.before = self.known = (cpu + young_cpu, wait + young_wait)
        else:
            cpu, wait = (self.before[n] + everything[n] - self.base[n] for n in (0, 1))
            self.known = (max(cpu, self.known[0]), max(wait, self.known[1]))


def exchange(asks: "Mapping[K, tuple[AnyProcess, bytes, float]]") -> dict[K, Line | Failed]:
    """Send each bot its bytes and get one line from each; limits in seconds of charged time.

    What a bot has written before it is asked is dropped. A bot that has failed for good fails again.
    """
    ours = cast("Mapping[K, tuple[Process, bytes, float]]", asks)
    _drop_stale([process for process, _, _ in ours.values()])
    answers: dict[K, Line | Failed] = {}
    waits: list[_Wait[K]] = []
    for key, (process, data, seconds) in ours.items():
        if process.failed is not None:
            answers[key] = process.failed
            continue
        wait = _Wait(key, process, seconds, data)
        wait.send()
        waits.append(wait)
    if waits:
        _collect(waits, answers)
    return answers


def _drop_stale(processes: list[Process]) -> None:
    """Drop what was said without being asked; one look serves all."""
    by_fd = {process.stdout: process for process in processes if process.failed is None}
    for fd, _ in _poll_for(tuple(by_fd)).poll(0):
        by_fd[fd].forget()
    for process in processes:
        if process.buffer:
            process.drop()


def await_lines(asks: "Mapping[K, tuple[AnyProcess, float]]") -> dict[K, Line | Failed]:
    """The next line of each bot, in what it has written already or writes within its limit (seconds)."""
    answers: dict[K, Line | Failed] = {}
    waits: list[_Wait[K]] = []
    for key, (process, seconds) in cast("Mapping[K, tuple[Process, float]]", asks).items():
        line = process.line()
        if line is not None:
            answers[key] = Line(line)
        elif process.failed is not None:
            answers[key] = process.failed
        else:
            waits.append(_Wait(key, process, seconds, b""))
    _collect(waits, answers)
    return answers


_polls: dict[tuple[int, ...], "select.poll"] = {}


def _poll_for(fds: tuple[int, ...]) -> "select.poll":
    """A poll of these descriptors for reading. They know only numbers, so they are kept and used again."""
    poll = _polls.get(fds)
    if poll is None:
        if len(_polls) > 100:
            _polls.clear()
        poll = _polls[fds] = select.poll()
        for fd in fds:
            poll.register(fd, select.POLLIN)
    return poll


def _collect(waits: list[_Wait[K]], answers: dict[K, Line | Failed]) -> None:
    """Wait until every bot has answered or failed."""
    left = {wait.process.stdout: wait for wait in waits}
    while left:
        unsent = {wait.process.stdin: wait for wait in left.values() if wait.unsent}
        poll = _poll_for(tuple(left))
        if unsent:
            poll = select.poll()
            for fd in left:
                poll.register(fd, select.POLLIN)
            for fd in unsent:
                poll.register(fd, select.POLLOUT)
        due = min([wait.check_ns for wait in left.values()])
        ready = poll.poll(max(0, due - time.monotonic_ns()) / 1e6)
        now = time.monotonic_ns()
        for fd, _ in ready:
            if fd in unsent:
                unsent[fd].send()
            elif (answer := left[fd].read(now)) is not None:
                answers[left.pop(fd).key] = answer
        if now >= due:
            for fd, wait in list(left.items()):
                if now >= wait.check_ns and (failed := wait.look_closer()) is not None:
                    answers[left.pop(fd).key] = failed
