"""Asking bots for a line each, over the pipes that they were started on, within fair time limits.

Theory of operation. The referee holds the other ends of each bot's standard input and output, so an
answer takes two system calls and no process stands between. `exchange` writes to all bots before it
waits for any, then polls until each has answered, failed, or used up its limit.

Time. What is charged, and for how long a bot is waited, is told in allowance.py. For a quick
answer one read of the main thread's counters tells (their descriptor came when the bot was started). An
answer that takes longer than a quarter of its limit is looked at more closely: the counters of all threads
and children are read then, and again at the earliest moment at which the limit can have been reached;
if less has been charged, the bot gets the difference. An answer that is there when this process looks is
in time: it would have looked at the limit, so if it is late, it is late itself, for want of a processor. How
late is told by the clock if the answer comes at once (a first sleep of a millisecond that takes longer is our
own delay), else by our own counters.

The first closer look of a match cannot tell what threads that were there before the question, beside the main
one, have used since; it counts those started since, and from then on the counters of such a bot are read
at every question.

An answer that comes after its limit is still an answer to that question: when the bot is asked again,
what it owes is skipped, whether it had come before or comes now. A bot that stays in play after it was
late has thus to answer every question by one line, however late.

A bot can do nothing here but fail: writes and reads do not block, lines and output are capped, and
the end of its output after a complete answer is no failure until it is asked again.
"""

import errno
import os
import select
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from sandbox.api import Failed, Line, Times
from sandbox.boxes.allowance import Allowance, own_wait_ns
from sandbox.boxes.process import Process
from sandbox.boxes.suspend import suspend_unasked
from sandbox.boxes.waiting import Thread

if TYPE_CHECKING:
    from sandbox.api import Process as AnyProcess

K = TypeVar("K")

_REST = 200  # bytes of an unfinished line that are told
_AT_ONCE_NS = 1_000_000  # how long the first sleep is
_NOTABLE_US = 5_000
_UNKNOWN = (
    1 << 62
)  # how often the processor had been given up at the question: it counts from the first look on
_TICK_US = 10_000  # in which the kernel counts when a thread was started


class _Wait(Generic[K]):
    """One bot that is being waited for. Counters are (processor time, waiting time), microseconds."""

    status: dict[str, Any] | None = None  # of all threads at the question
    base_us: int | None = None  # what all threads had used at the question or the first closer look
    before_us = 0  # what is to be counted from between the question and then
    cpu_us = 0  # since the question, at the last closer look
    ours_ns: int = 0  # of the time since the question, what this process waited for a processor
    held_ns: int = 0  # of that, before it was asked
    allowance: Allowance | None = None

    def __init__(self, key: K, process: Process, seconds: float, unsent: bytes) -> None:
        self.key = key
        self.process = process
        self.limit_us = int(seconds * 1e6)
        self.unsent = unsent
        self.asks = bool(unsent)
        if process.suspended:
            process.resume()
        unasked_ns = 0 if self.asks else time.monotonic_ns()  # it goes on while its counters are read
        if process.multithreaded:
            status = process.session.status()
            if process.gone(status) is None:
                self.status, self.base_us = status, _used_us(status)
        self.used = process.at_asking()  # the main thread's counters at the question
        self.started_ns = unasked_ns or time.monotonic_ns()
        self.check_ns = self.started_ns + self.limit_us * 250  # the next closer look

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

    def asked(self, now_ns: int) -> None:
        """This process goes to sleep now: it was kept from that if the question was long ago."""
        if self.asks and now_ns - self.started_ns > _AT_ONCE_NS:
            self.ours_ns = self.held_ns = now_ns - self.started_ns

    def times(self, now_ns: int) -> Times:
        wall = (now_ns - self.started_ns) // 1000
        cpu, wait = self._main_thread()
        if self.allowance is not None:
            cpu, wait = max(cpu, self.cpu_us), max(wait, self.allowance.times.wait_us)
        if self.ours_ns:
            wait += self.ours_ns // 1000
        # What was read up to a millisecond before the question may hold a little from before it.
        return Times(wall, cpu if cpu < wall else wall, wait if wait < wall else wall)

    def _main_thread(self) -> tuple[int, int]:
        cpu, wait = self.process.measure()
        return cpu - self.used[0], wait - self.used[1]

    def read(self, now_ns: int, late_ns: int = 0) -> Line | Failed | None:
        """What has come of it, if its output can be read; `late_ns`: how long waking up took us."""
        line = self.process.read_line()
        while self.process.late_answers and line is not None:
            self.process.late_answers -= 1
            line = self.process.line()
        if line is None and self.process.failed is None:
            return None
        if late_ns > 0:
            self.ours_ns += late_ns
        if line is not None:
            return Line(line, self.times(now_ns) if self.asks else self._proved_times(now_ns))
        failed = self.process.failed
        assert failed is not None
        return Failed(failed.kind, failed.reason, self.times(now_ns))

    def _proved_times(self, now_ns: int) -> Times:
        """Of a line that was not asked for: there may be many, so no wait is taken for granted."""
        times = self.times(now_ns)
        if times.wait_us < _NOTABLE_US:
            return times
        status = self.process.session.status()
        if "lost" in status:
            return times
        self._look(status)
        assert self.allowance is not None
        cpu_us, wait_us = max(times.cpu_us, self.cpu_us), self.allowance.times.wait_us + self.ours_ns // 1000
        return Times(times.wall_us, min(cpu_us, times.wall_us), min(wait_us, times.wait_us))

    def look_closer(self, asked: Collection[Process]) -> Line | Failed | None:
        """Add up what has been charged; a Failed at the limit, else says when to look again.

        `asked`: all bots that are waited for. Raises SandboxError if the machine is too busy to go on.
        """
        status = self.process.session.status()
        gone = self.process.gone(status)
        if gone is not None or "lost" in status:
            return gone
        left_us = self._look(status)
        assert self.allowance is not None
        if not left_us:
            return self.read(time.monotonic_ns()) or self._too_late(self.allowance.times)
        self.check_ns = status["at_ns"] + left_us * 1000
        if self.allowance.kept_waiting:
            suspend_unasked(asked)
        return None

    def _look(self, status: dict[str, Any]) -> int:
        """When to look again, microseconds from now; 0: it is too late."""
        self._count(status)
        process = self.process
        process.most_threads = max(process.most_threads, len(status["threads"]))
        if self.allowance is None:
            self.allowance = Allowance(self.limit_us, self.started_ns + self.held_ns)
            self.allowance.waiting.start_with(self._at_the_question(status["main"]))
        multithreaded = process.most_threads > 1
        return self.allowance.look(status["at_ns"], self.cpu_us, status["threads"], multithreaded)

    def _at_the_question(self, main: int) -> Iterable[Sequence[int]]:
        """What is known of threads then: of all, or of the main thread."""
        if self.status is not None:
            return cast("list[list[int]]", self.status["threads"])
        return [[main, 0, self.used[0] * 1000, self.used[1] * 1000, -1, 0, _UNKNOWN]]

    def _too_late(self, times: Times) -> Failed:
        self.process.late_answers += self.asks
        reason = f"gave no answer within {self.limit_us / 1e6:g} s"
        return Failed("timeout", reason, times, self.process.buffer[:_REST])

    def _count(self, status: dict[str, Any]) -> None:
        """Bring `cpu_us` up to date. Threads that end take their counters with them: it never falls."""
        everything_us = _used_us(status)
        if self.base_us is None:
            self.base_us = everything_us
            age_us = (status["at_ns"] - self.started_ns) // 1000 + _TICK_US
            beside = [Thread(*thread) for thread in status["threads"] if thread[0] != status["main"]]
            new_threads = [thread.run_ns // 1000 for thread in beside if thread.age_us <= age_us]
            self.process.multithreaded = len(new_threads) < len(beside)
            self.before_us = self._main_thread()[0] + sum(new_threads)
        self.cpu_us = max(self.cpu_us, self.before_us + everything_us - self.base_us)


def _used_us(status: dict[str, Any]) -> int:
    """Processor time, that which shows in no process included."""
    return int(status["cpu_us"]) + int(status["unattributed_us"])


def exchange(asks: "Mapping[K, tuple[AnyProcess, bytes, float]]") -> dict[K, Line | Failed]:
    """Send each bot its bytes and get one line from each; limits in seconds of charged time.

    What a bot has written before it is asked is dropped. A bot that has failed for good fails again.
    Raises SandboxError if the box of one is lost, or the machine too busy.
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
        if process.failed is not None:  # a look at its counters found it gone
            answers[key] = process.failed
            continue
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
    errors = {wait.process.stderr: wait.process for wait in waits}
    at_once = True  # answers come within a millisecond: to tell whether we are late needs no counters
    for wait in waits:
        wait.asked(time.monotonic_ns())
    while left:
        unsent = {wait.process.stdin: wait for wait in left.values() if wait.unsent}
        poll = _poll_for((*left, *errors))
        if unsent:
            poll = select.poll()
            for fd in (*left, *errors):
                poll.register(fd, select.POLLIN)
            for fd in unsent:
                poll.register(fd, select.POLLOUT)
        due = min([wait.check_ns for wait in left.values()])
        before = time.monotonic_ns()
        if at_once:
            ready = poll.poll(1)
            now = time.monotonic_ns()
            late = now - before - _AT_ONCE_NS
            at_once = bool(ready)
        else:
            waited = own_wait_ns()
            ready = poll.poll(max(0, due - before) / 1e6)
            now = time.monotonic_ns()
            late = own_wait_ns() - waited
        for fd, event in ready:
            if fd in unsent:
                unsent[fd].send()
            elif fd in errors:
                if event & select.POLLIN:
                    errors[fd].drain_errors()
                else:
                    del errors[fd]  # it has been closed
            elif (answer := left[fd].read(now, late)) is not None:
                answers[left.pop(fd).key] = answer
        if now >= due:
            for fd, wait in list(left.items()):
                asked = [each.process for each in left.values()]
                if now >= wait.check_ns and (answer := wait.look_closer(asked)) is not None:
                    answers[left.pop(fd).key] = answer
