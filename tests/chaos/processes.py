"""Processes that are started again when they end, as containers with a restart policy are."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from agon.supervisor.children import descendants, die_with_parent

PAUSE = 0.5  # seconds before what has ended is started again


class Process:
    """A program of the site. user, group: what it runs as; ours, if None."""

    def __init__(
        self,
        name: str,
        command: Sequence[object],
        environment: Mapping[str, str],
        logs: Path,
        user: tuple[int, int] | None = None,
    ) -> None:
        self.name, self.command, self.environment = name, list(map(str, command)), dict(environment)
        self.log, self.user = logs / f"{name}.log", user
        self.starts = 0
        self.held = False  # it is not to be started again
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = 0.0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def look_after(self) -> None:
        """Start it if it does not run, and is not held."""
        if self.pid is not None:
            return
        if self._process is not None:
            # In a container everything ends with the first process.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process = None
            self._ended = time.monotonic()
        if not self.held and time.monotonic() >= self._ended + PAUSE:
            self._start()

    def _start(self) -> None:
        self.starts += 1
        user, group = self.user or (None, None)
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                self.command,
                env=self.environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                preexec_fn=die_with_parent(os.getpid()),
                user=user,
                group=group,
                extra_groups=None if user is None else [],
            )

    def tree(self) -> list[int]:
        """The process and all below it, nearest first."""
        return [] if self.pid is None else [self.pid, *descendants(self.pid)]

    def send(self, number: signal.Signals, pids: Sequence[int] | None = None) -> None:
        """Send a signal to these, or to the whole tree."""
        for pid in self.tree() if pids is None else pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def end(self, number: signal.Signals = signal.SIGTERM, patience: float = 20.0) -> None:
        """Stop it for good."""
        self.held = True
        if self._process is None or self.pid is None:
            return
        doomed = self.tree()
        self._process.send_signal(number)
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL, doomed)
            self._process.wait()
