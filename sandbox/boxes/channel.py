"""Asking bots for one line each, over the pipes that they were started on, within fair time limits.

Theory of operation. What is charged, and how long a bot is waited for, is described in allowance.py.

Processes:
- The referee, here. `exchange` writes to all bots before it waits for any, then polls until each has
  answered, failed, or reached its limit.
- The bots, each in a box of its own.
- The agent of a bot's box, asked only about answers that take long.

Pipes:
- The referee holds the other ends of each bot's standard streams. An answer takes two system calls, and no
  process stands in between.
- A descriptor of the main thread's counters is received when the bot is started. Quick answers (quick.py),
  which are most of them, need no read of it; what follows is about the others.

Trust:
- Writes and reads do not block, lines and output are bounded, so a bot can do nothing here but fail. The end
  of its output after a complete answer is no failure until it is asked again.
- An answer that takes longer than a quarter of its limit is sampled more closely: the counters of all
  threads and children are read then, and again at the earliest moment at which the limit can have been
  reached.
- The counters of the main thread are read when a quick answer fails to come, some milliseconds after the
  question. An upper bound of what it had used when it was asked follows from the reading before
  (Process.measure_at).
- The first sample of a match cannot show what threads other than the main one have used since the
  question, if they were there before it. It counts those started since. From then on the counters of such a
  bot are read at every question (`multithreaded`).
- An answer seen on wake-up counts as in time: if the referee woke late, the delay is its own. The clock shows
  how late it was if answers come at once (a first sleep of one millisecond that takes longer), the referee's
  own counters otherwise. They also show how long it waited while a bot's standard error was full: the bot
  had to wait for it.

Failure:
- An answer that comes after its limit is still the answer to that question. When the bot is asked again, its
  late answers are skipped, whether they have come already or come now. So a bot that stays in play after
  being late has to answer every question by one line, however late.
- A lost box raises SandboxError, or makes its bot a Failed (agent_link.py).
"""

import errno
import os
import select
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Generic, TypeVar, cast

from sandbox.api import Failed, Line, Times
from sandbox.api import Process as AnyProcess
from sandbox.boxes.agent_link import KeptFromRunning
from sandbox.boxes.agent_messages import Status
from sandbox.boxes.allowance import Allowance, own_wait_ns
from sandbox.boxes.extension import Extension
from sandbox.boxes.process import Process
from sandbox.boxes.quick import QUICK_NS, PendingQuestion, ask_quickly, poll_for
from sandbox.boxes.reading import LateReading, reading
from sandbox.boxes.suspend import suspend_unasked
from sandbox.boxes.waiting import Thread
from sandbox.reason import Reason

K = TypeVar("K")

_REST_BYTES = 200  # bytes of an unfinished line that are reported
_AT_ONCE_NS = 1_000_000  # the length of the first sleep
_NOTABLE_US = 5_000
_UNKNOWN_SWITCHES = 1 << 62  # voluntary switches before the question: they count from the first sample on
_TICK_US = 10_000  # the kernel's resolution of the time at which a thread was started


class _Wait(Generic[K]):
    """The wait for one bot's answer. Counters are (CPU time, wait time), in microseconds."""

    status: Status | None = None  # of all threads, at the question
    base_us: int | None = None  # what all threads had used at the question, or else at the first sample
    before_us = 0  # in the latter case: what counts from between the question and then
    cpu_us = 0  # since the question, at the last sample
    ours_ns: int = 0  # how long this process waited for a processor since the question
    held_ns: int = 0  # the part of that before it went to sleep
    allowance: Allowance | None = None

    def __init__(
        self,
        key: K,
        process: Process,
        seconds: float,
        question: bytes,
        pending: PendingQuestion | None = None,
    ) -> None:
        """`pending`: the question, if ask_quickly() has sent it already, as far as the bot took it."""
        self.key = key
        self.process = process
        self.limit_us = int(seconds * 1e6)
        self.late_reading = LateReading()  # of standard error
        self.unsent = question if pending is None else pending.unsent
        self.asks = bool(question)
        self.extension = Extension(self.limit_us, process.link.agent.host.pressure, process.patience)
        self.slept_ns = 0 if pending is None else pending.slept_ns
        if process.suspended:
            process.resume()
        running_ns = time.monotonic_ns()
        if process.multithreaded:
            self.status = process.sample()
            self.base_us = None if self.status is None else _used_us(self.status)
        self.kept_from_running = KeptFromRunning(process.link.agent.host)
        # By the main thread. What was read at its last answer may lack what it had used since the last tick.
        self.used = process.measure() if pending is None else process.measure_at(pending.asked_ns)
        if pending is not None:
            self.started_ns = pending.asked_ns
        else:  # a bot that is not asked runs while its counters are read
            self.started_ns = time.monotonic_ns() if self.asks else running_ns
        if self.status is not None and self.base_us is not None:
            self.base_us += _used_before(self.status, self.started_ns)
        self.check_ns = self.started_ns + self.limit_us * 250  # the next sample

    def send(self) -> None:
        """Write as much as the bot takes. A bot that has closed its input may still answer."""
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

    def before_sleep(self, now_ns: int) -> None:
        """Note whether this process was kept waiting for a processor since it sent the question."""
        held_ns = now_ns - self.started_ns - self.slept_ns
        if self.asks and held_ns > _AT_ONCE_NS:
            self.ours_ns = self.held_ns = held_ns

    def times(self, now_ns: int) -> Times:
        wall = (now_ns - self.started_ns) // 1000
        cpu, wait = self._main_thread()
        wait = max(wait, self.kept_from_running.so_far_us() or 0)
        if self.allowance is not None:
            cpu, wait = max(cpu, self.cpu_us), max(wait, self.allowance.times.wait_us)
        wait += self.extension.wait_us(now_ns)
        if others_ns := self.ours_ns + self.late_reading.blocked_ns:
            wait += others_ns // 1000
        return Times(wall, cpu if cpu < wall else wall, wait if wait < wall else wall)

    def _main_thread(self) -> tuple[int, int]:
        cpu, wait = self.process.measure()
        return cpu - self.used[0], wait - self.used[1]

    def read(self, now_ns: int, late_ns: int = 0) -> Line | Failed | None:
        """The answer, if the bot's output can be read. `late_ns`: how long this process took to wake up."""
        line = self.process.read_line()
        while self.process.late_answers and line is not None:
            self.process.late_answers -= 1
            line = self.process.take_line()
        if line is None and self.process.failed is None:
            return None
        if late_ns > 0:
            self.ours_ns += late_ns
        if line is not None:
            self.process.quick = now_ns - self.started_ns < QUICK_NS
            return Line(line, self.times(now_ns) if self.asks else self._proved_times(now_ns))
        failed = self.process.failed
        assert failed is not None
        return Failed(failed.kind, failed.reason, self.times(now_ns))

    def _proved_times(self, now_ns: int) -> Times:
        """Of a line that was not asked for. There may be many, so only proved waits are credited."""
        times = self.times(now_ns)
        if times.wait_us < _NOTABLE_US:
            return times
        status = self.process.link.status()
        if isinstance(status, Failed):
            return times
        allowance, _ = self._charge(status)
        cpu_us, wait_us = max(times.cpu_us, self.cpu_us), allowance.times.wait_us + self.ours_ns // 1000
        return Times(times.wall_us, min(cpu_us, times.wall_us), min(wait_us, times.wait_us))

    def drain_errors(self) -> None:
        """Read standard error. A bot that keeps it full waits for this process."""
        self.late_reading.note(self.process.drain_errors())

    def look_closer(self, asked: Collection[Process]) -> Line | Failed | None:
        """Add up what has been charged: a Failed at the limit, otherwise sets the time of the next sample.

        `asked`: all bots that are waited for. Raises SandboxError if the machine is too busy to continue.
        """
        status = self.process.sample()
        if status is None:
            return self.process.failed
        allowance, left_us = self._charge(status)
        left_us = left_us or self.extension.sample(status.at_ns, self.cpu_us, allowance)
        if not left_us:
            return self.read(time.monotonic_ns()) or self._too_late(status.at_ns)
        self.check_ns = status.at_ns + left_us * 1000
        if allowance.kept_waiting:
            suspend_unasked(asked)
        return None

    def _charge(self, status: Status) -> tuple[Allowance, int]:
        """The allowance, and the microseconds until the next sample; 0 if the limit is reached."""
        self._update_cpu(status)
        process = self.process
        process.most_threads = max(process.most_threads, len(status.threads))
        if self.allowance is None:
            self.allowance = Allowance(self.limit_us, self.started_ns + self.held_ns)
            self.allowance.waiting.start_with(self._at_the_question(status.main))
        several = process.most_threads > 1
        self.allowance.blocked_us = self.late_reading.blocked_ns // 1000
        preempted_us = self.kept_from_running.preempted_us(status)
        gap_ns = max(0, self.kept_from_running.since_ns - self.started_ns - self.held_ns)
        self.allowance.uncounted_us = gap_ns // 1000 + self.kept_from_running.unread_us()
        left_us = self.allowance.sample(status.at_ns, self.cpu_us, status.threads, several, preempted_us)
        return self.allowance, left_us

    def _at_the_question(self, main: int) -> Iterable[Thread]:
        """What is known of the threads then: all of them, or only the main one."""
        if self.status is not None:
            return self.status.threads
        return [Thread(main, 0, self.used[0] * 1000, self.used[1] * 1000, -1, 0, _UNKNOWN_SWITCHES)]

    def _too_late(self, at_ns: int) -> Failed:
        self.process.late_answers += self.asks
        reason = Reason("answer_too_slow", seconds=self.limit_us / 1e6)
        rest = self.process.buffer[:_REST_BYTES]
        return Failed("timeout", reason, self.times(at_ns), rest, str(self.extension))

    def _update_cpu(self, status: Status) -> None:
        """Update `cpu_us`, which never decreases, although threads that end take their counters with them."""
        everything_us = _used_us(status)
        if self.base_us is None:
            self.base_us = everything_us
            age_us = (status.at_ns - self.started_ns) // 1000 + _TICK_US
            others = [thread for thread in status.threads if thread.number != status.main]
            new_threads = [thread.run_ns // 1000 for thread in others if thread.age_us <= age_us]
            self.process.multithreaded = len(new_threads) < len(others)
            self.before_us = self._used_by_main_thread(status) + sum(new_threads)
        self.cpu_us = max(self.cpu_us, self.before_us + everything_us - self.base_us)

    def _used_by_main_thread(self, status: Status) -> int:
        """From the question to the sample. What it uses while the referee waits for that counts as later."""
        for thread in status.threads:
            if thread.number == status.main:
                return max(0, thread.run_ns // 1000 - self.used[0])
        return self._main_thread()[0]  # it has ended


def _used_us(status: Status) -> int:
    return status.cpu_us + status.unattributed_us


def _used_before(status: Status, asked_ns: int) -> int:
    """What threads may have used between a sample and the question, if this process was kept waiting."""
    running = sum(thread.ready > 0 for thread in status.threads)
    return min(running, len(os.sched_getaffinity(0))) * (asked_ns - status.at_ns) // 1000


def exchange(asks: Mapping[K, tuple[AnyProcess, bytes, float]]) -> dict[K, Line | Failed]:
    """Send each bot its bytes and get one line from each; limits in seconds of charged time.

    Anything that a bot wrote before it is asked is dropped. A bot that cannot answer anymore fails again.
    Raises SandboxError if the box of one is lost, or the machine too busy.
    """
    ours = cast("Mapping[K, tuple[Process, bytes, float]]", asks)
    _note_errors([process for process, _, _ in ours.values()])
    answers: dict[K, Line | Failed] = {}
    left = ask_quickly(ours, answers)
    if left is None:
        _collect(_ask(ours, answers), answers)
    elif left:
        _collect([_take_over(key, ours[key], pending) for key, pending in left.items()], answers)
    return answers


def _take_over(key: K, ask: tuple[Process, bytes, float], pending: PendingQuestion) -> _Wait[K]:
    process, data, seconds = ask
    return _Wait(key, process, seconds, data, pending)


def _ask(asks: Mapping[K, tuple[Process, bytes, float]], answers: dict[K, Line | Failed]) -> list[_Wait[K]]:
    """Send each bot its bytes; those that have failed get their answers at once."""
    _discard_output([process for process, _, _ in asks.values()])
    waits: list[_Wait[K]] = []
    for key, (process, data, seconds) in asks.items():
        if process.failed is not None:
            answers[key] = process.failed
            continue
        wait = _Wait(key, process, seconds, data)
        if process.failed is not None:  # as the sample of its counters has shown
            answers[key] = process.failed
            continue
        wait.send()
        waits.append(wait)
    return waits


def _note_errors(processes: list[Process]) -> None:
    """Before bots are asked, read their standard error, and note how much it was. One poll serves all."""
    by_fd = {process.stderr: process for process in processes if process.failed is None}
    for fd, _ in poll_for(tuple(by_fd)).poll(0):
        by_fd[fd].drain_errors()
    for process in processes:
        process.errors_at.append(process.errors.total)


def _discard_output(processes: list[Process]) -> None:
    """Drop what bots wrote without having been asked. One poll serves all."""
    by_fd = {process.stdout: process for process in processes if process.failed is None}
    for fd, _ in poll_for(tuple(by_fd)).poll(0):
        by_fd[fd].discard_output()
    for process in processes:
        if process.buffer:
            process.discard_buffer()


def await_lines(
    asks: Mapping[K, tuple[AnyProcess, float]], until: Callable[[bytes], bool] | None = None
) -> dict[K, Line | Failed]:
    """The next line of each bot: one that it has written already or writes within its limit (seconds).

    until: of the lines that have come together, the first for which it is true, else the last. A bot that
    writes a million lines at once is charged for none but the first, and this process must not pay for each.
    """
    answers: dict[K, Line | Failed] = {}
    waits: list[_Wait[K]] = []
    for key, (process, seconds) in cast("Mapping[K, tuple[Process, float]]", asks).items():
        line = process.take_line()
        if line is not None:
            answers[key] = Line(line)
        elif process.failed is not None:
            answers[key] = process.failed
        else:
            waits.append(_Wait(key, process, seconds, b""))
    _collect(waits, answers)
    if until is not None:
        for key, (process, _) in cast("Mapping[K, tuple[Process, float]]", asks).items():
            answer = answers[key]
            if isinstance(answer, Line) and not until(answer.text):
                answers[key] = Line(process.skip_lines(until) or answer.text, answer.times)
    return answers


def _collect(waits: list[_Wait[K]], answers: dict[K, Line | Failed]) -> None:
    """Wait until every bot has answered or failed."""
    left = {wait.process.stdout: wait for wait in waits}
    errors = {wait.process.stderr: wait for wait in waits}
    at_once = True  # while answers come within a millisecond, the clock shows whether this process woke late
    for wait in waits:
        wait.before_sleep(time.monotonic_ns())
        if wait.process.buffer and (answer := wait.read(time.monotonic_ns())) is not None:
            answers[left.pop(wait.process.stdout).key] = answer
    while left:
        unsent = {wait.process.stdin: wait for wait in left.values() if wait.unsent}
        poll = poll_for((*left, *errors))
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
            readers = {fd: wait.drain_errors for fd, wait in errors.items()}
            for fd, wait in list(left.items()):
                asked = [waiting.process for waiting in left.values()]
                with reading(readers):
                    answer = wait.look_closer(asked) if now >= wait.check_ns else None
                if answer is not None:
                    answers[left.pop(fd).key] = answer
