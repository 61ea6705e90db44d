"""Keeps the processes of a site running until it is stopped.

Theory of operation.

Processes:
- This one has one thread, which sleeps in `select` until a signal or a byte arrives, a child is due to be
  restarted, or it is time to check whether the disk has space (CHECK_SHORTAGE), or whether a `make` above
  was stopped without passing that on (CHECK_MAKE, make.py).
- Its children (children.py). As a subreaper, this process inherits whatever a child leaves behind, and kills
  it when the child ends and when everything stops.

Pipes:
- Signals: SIGINT, SIGTERM and SIGHUP stop everything; SIGCHLD says that a child has ended. The handlers do
  nothing: Python writes the signal's number to a pipe that the loop watches.
- `ready`: the web server writes a byte when it serves pages; then `on_ready` is called, once.
- The output of each child is appended to a log of its own, which is kept short.

Trust:
- The children are the site's own programs. Bots run in their sandboxes, several processes further down.

Failure:
- A child that ends is restarted: immediately at first, then after 1, 2, 4 ... 30 s. The count starts over
  when a child has lived for a minute.
- A web server that ends before it has ever served a page would only fail again: that is a StartupError.
- Stopping sends SIGTERM to each child, waits GRACE seconds for what they are doing (an interrupted match is
  played again at the next start), then sends SIGKILL to every descendant. If this process is killed, the
  kernel kills the children (children.py).
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from agon.supervisor import children, make
from agon.supervisor.errors import StartupError
from agon.supervisor.folder import keep_logs_short

GRACE = 2.5  # seconds
STEADY = 60.0  # seconds that a child must live for its failures to be forgotten
LONGEST_PAUSE = 30.0  # seconds
CHECK_MAKE = 0.5  # seconds between two checks of the `make` above
CHECK_SHORTAGE = 5.0  # seconds between two checks of what the site may lack
STOPPING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class Child:
    """One of the programs: its process while it runs, otherwise the time at which to start it again."""

    def __init__(self, program: children.Program, logs: Path | None) -> None:
        self.program = program
        self.log = logs / f"{program.name}.log" if logs else None
        self.failures = 0
        self.due = 0.0  # when to start it, in monotonic seconds
        self.started = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def start_if_due(self) -> None:
        """Start it if it is not running and its backoff is over."""
        if self.process is None and self.due <= time.monotonic():
            self.started = time.monotonic()
            self.process = children.start(self.program, self.log)

    def reap(self) -> str | None:
        """If the process has ended, schedule its restart, and return how it ended; else None."""
        if self.process is None or self.process.poll() is None:
            return None
        status, self.process = self.process.returncode, None
        lifetime = time.monotonic() - self.started
        self.failures = 1 if lifetime > STEADY else self.failures + 1
        pause = 0.0 if self.failures == 1 else min(2.0 ** (self.failures - 2), LONGEST_PAUSE)
        self.due = time.monotonic() + pause
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        return f"{self.program.name} {how} after {lifetime:.0f} s"


class Supervisor:
    """Starts the programs and keeps them running; see the theory of operation above."""

    def __init__(
        self,
        programs: list[children.Program],
        logs: Path | None,
        ready: int,
        on_ready: Callable[[], None],
        shortage: Callable[[], object] = lambda: None,
    ) -> None:
        """`logs`: the folder for the children's output; None: it goes where ours goes. `ready`: see above.

        `shortage` returns a sentence to show if the site lacks something, else None.
        """
        self.children = [Child(program, logs) for program in programs]
        self.logs, self.ready, self.on_ready = logs, ready, on_ready
        self.serving = False
        self.shortage, self.reported = shortage, ""
        self.stopped_by_make = make.watch()
        self.events = selectors.DefaultSelector()
        self.signals = self._watch_signals()
        self.events.register(ready, selectors.EVENT_READ)

    def run(self) -> None:
        """Return when a signal has stopped everything. Raises StartupError (see above)."""
        children.adopt_orphans()
        try:
            while not self._stop_requested():
                self._look_after_children()
        finally:
            self._stop()

    def _look_after_children(self) -> None:
        if self.logs:
            keep_logs_short(self.logs)
        self._report_shortage()
        ended = {child: how for child in self.children if (how := child.reap())}
        if ended:
            children.kill_descendants(spare={child.process.pid for child in self.children if child.process})
        for child, how in ended.items():
            self._report(child, how)
        for child in self.children:
            child.start_if_due()

    def _report_shortage(self) -> None:
        """Report once that something is lacking, and once that it is available again."""
        try:
            shortage = self.shortage()
        except OSError as error:  # of a network, say, or of a process that is gone; it may come back
            shortage = f"The disk of the site's data cannot be looked at: {error}"
        if bool(shortage) != bool(self.reported):
            say(str(shortage or "Disk space is available again; work resumes."))
        self.reported = str(shortage or "")

    def _report(self, child: Child, how: str) -> None:
        if child.program.name == "web" and not self.serving:
            raise StartupError(
                f"The web server could not start ({how}): {last_line(child.log)} [{child.log}]"
            )
        where = f" ({child.log})" if child.log else ""
        say(f"{how}; restarting it{where}")

    def _stop_requested(self, timeout: float | None = None) -> bool:
        """Sleep until something happens; True if it was a request to stop."""
        requested = self.stopped_by_make is not None and self.stopped_by_make()
        for key, _ in self.events.select(self._time_to_next_start() if timeout is None else timeout):
            if key.fd == self.signals:
                requested |= any(number in STOPPING for number in os.read(self.signals, 1000))
            else:
                self.events.unregister(self.ready)
                if os.read(self.ready, 1):
                    self.serving = True
                    self.on_ready()
        return requested

    def _time_to_next_start(self) -> float:
        due = [child.due for child in self.children if child.process is None]
        latest = CHECK_MAKE if self.stopped_by_make else CHECK_SHORTAGE
        return min([latest, *(max(0.0, moment - time.monotonic()) for moment in due)])

    def _stop(self) -> None:
        for child in self.children:
            if child.process is not None:
                child.process.terminate()
        deadline = time.monotonic() + GRACE
        while any(child.process and child.process.poll() is None for child in self.children):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self._stop_requested(timeout=left)
        children.kill_descendants()

    def _watch_signals(self) -> int:
        reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writing)
        for number in [*STOPPING, signal.SIGCHLD]:
            signal.signal(number, lambda *_: None)
        self.events.register(reading, selectors.EVENT_READ)
        return reading


def say(text: str) -> None:
    """Write a line with the time, for the operator; in JSON if the site logs so."""
    moment = datetime.now(UTC)
    if os.environ.get("AGON_LOG") == "json":
        fields = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": "WARNING",
            "logger": "agon.supervisor",
        }
        line = json.dumps(fields | {"message": text}, ensure_ascii=False)
    else:
        line = f"{moment.astimezone():%Y-%m-%d %H:%M:%S} agon: {text}"
    print(line, file=sys.stderr, flush=True)


def last_line(log: Path | None) -> str:
    """The last line of a log that is not blank."""
    lines: list[str] = []
    if log:
        with suppress(OSError):
            lines = log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "its log is empty")
