"""The state of a worker process: its core, its sandbox, its warm boxes.

- Processes: a worker is one process on one core (AGON_CORE), which its bots share: a round trip between two
  processes on one core takes a quarter of the time that it takes between two cores. Boxes stay warm between
  matches. A worker that has played nothing for IDLE_SECONDS closes them to free their memory.
- Failure: leftovers of dead workers of this machine are removed when a worker starts (the supervisor replaces
  each one that dies), after a failure of the platform, and when a worker becomes idle. After a failure the
  sandbox is checked before it is used again. A restart of the Docker engine thus costs a match one attempt.
"""

import logging
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from celery.signals import worker_init, worker_ready, worker_shutdown
from django.conf import settings
from django.db import connection

from agon import __version__
from agon.site.bots import artifacts
from agon.site.celery import app
from agon.site.core.open_files import raise_limit
from agon.site.fleet import parking, pausing
from agon.site.matches import worker_names
from agon.site.workers.proving import proof
from sandbox.api import Limits, Sandbox, SandboxError
from sandbox.backends import open_sandbox
from sandbox.boxes.pool import Pool
from sandbox.languages.registry import families

PLAYING = {"build", "interactive", "bulk"}  # queues
SLICE = 2.0  # seconds, after which other tasks of this worker run
BACKOFF = 1.0  # seconds, after a failure of the platform
PASS_ON = 0.1  # seconds for which a parked worker delays a notice, so that other workers take it
IDLE_SECONDS = 60.0
LACKING_SECONDS = 60.0
ENVIRONMENT_SECONDS = 60.0  # after which the digests of the images are read again

log = logging.getLogger(__name__)


class Worker:
    """The sandbox and the warm boxes of one process. Both are opened at their first use."""

    def __init__(self) -> None:
        self._sandbox: Sandbox | None = None
        self._environment: dict[str, Any] = {}
        self._environment_until = 0.0  # monotonic seconds
        self._suspect = False  # the sandbox failed since it was last seen to work
        self._backs_off_until = 0.0  # monotonic seconds
        self._lacking: dict[str, float] = {}  # monotonic seconds by language
        self._pool: Pool | None = None
        self._in_use = threading.Lock()  # held while boxes are lent, and while they are closed
        self._idle: threading.Timer | None = None

    @property
    def name(self) -> str:
        """The name of this worker in leases: the machine, its core, and the process."""
        core, group = os.environ.get("AGON_CORE"), os.environ.get("AGON_GROUP", "")
        return worker_names.name(settings.AGON_MACHINE, core, os.getpid(), group)

    def sandbox(self) -> Sandbox:
        """The sandbox of this process, checked again if it is suspect. Raises SandboxError if none works."""
        if self._sandbox is None:
            self._sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
        elif self._suspect:
            self._sandbox.remove_leftovers()
        self._suspect = False
        return self._sandbox

    def environment(self) -> dict[str, Any]:
        """The environment of matches here: versions, the sandbox, and the digest of its image for each family
        of languages. Raises SandboxError.
        """
        if time.monotonic() > self._environment_until:
            sandbox = self.sandbox()
            self._environment = {
                "agon": __version__,
                "python": platform.python_version(),
                "linux": platform.release(),
                "sandbox": sandbox.name,
                "images": _images(sandbox) if sandbox.name == "docker" else {},
            }
            self._environment_until = time.monotonic() + ENVIRONMENT_SECONDS
        return self._environment

    def mark_suspect(self) -> None:
        """Have the sandbox checked before its next use: the platform failed."""
        self._suspect = True

    def back_off(self) -> None:
        """Play nothing for BACKOFF seconds, and have the sandbox checked: the platform failed in a match."""
        self.mark_suspect()
        self._backs_off_until = time.monotonic() + BACKOFF

    def is_backing_off(self) -> bool:
        """Whether a match failed here less than BACKOFF seconds ago."""
        return time.monotonic() < self._backs_off_until

    def must_not_play(self) -> bool:
        """Whether this worker is parked, or paused: it can fetch no programs, or has not proven itself."""
        if parking.is_parked(self.name) or pausing.is_paused(self.name, self._why_it_must_not_play):
            return True
        if proof.is_due() and (why := self._why_not_proven()):
            pausing.pause(self.name, why)
            return True
        return False

    def _why_it_must_not_play(self) -> str | None:
        return self._why_not_proven() or artifacts.why_none_can_be_fetched()

    def _why_not_proven(self) -> str | None:
        try:
            return proof.why_not(self.sandbox())
        except SandboxError as error:
            return f"the sandbox does not work here: {error}"

    def lack(self, language: str, why: str) -> None:
        """Claim no matches with bots of this language for LACKING_SECONDS: they cannot be played here."""
        self._lacking[language] = time.monotonic() + LACKING_SECONDS
        log.error(
            "matches with bots of %s wait for other workers, or until it is installed: %s", language, why
        )

    def lacking(self) -> list[str]:
        """The languages whose bots could not be played here a moment ago."""
        now = time.monotonic()
        return [language for language, until in self._lacking.items() if now < until]

    def pool(self) -> Pool:
        """The warm boxes of this process, for all games. Raises SandboxError."""
        if self._pool is None:
            self._pool = Pool(self.sandbox(), Limits())
        return self._pool

    @contextmanager
    def using_boxes(self) -> Iterator[None]:
        """Keep the boxes open within the block, and warm for IDLE_SECONDS after it."""
        if self._idle is not None:
            self._idle.cancel()
        try:
            with self._in_use:
                yield
        finally:
            self._idle = threading.Timer(IDLE_SECONDS, self.on_idle)
            self._idle.daemon = True
            self._idle.start()

    def on_idle(self) -> None:
        """Close the boxes, and remove what dead workers left."""
        self.close_boxes()
        try:
            with self._in_use:
                self.remove_leftovers()
        finally:
            connection.close()  # of the timer's thread

    def close_boxes(self) -> None:
        """Close every warm box, as soon as no match is being played."""
        with self._in_use:
            if self._pool is not None:
                self._pool.close()
                self._pool = None
                artifacts.release()

    def remove_leftovers(self) -> None:
        """Remove what dead workers of this machine left."""
        self.mark_suspect()
        try:
            self.sandbox()
        except SandboxError as error:
            log.error("this worker has no sandbox: %s", error)
        artifacts.remove_leftovers()

    def close(self) -> None:
        """Close the boxes and the sandbox."""
        if self._idle is not None:
            self._idle.cancel()
        self.close_boxes()
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
            self._environment_until = 0.0


def _images(sandbox: Sandbox) -> dict[str, str]:
    images = {}
    for family in families():
        with suppress(SandboxError):  # it is not built on this machine
            images[family] = sandbox.image(family)
    return images


worker = Worker()


@worker_init.connect
def take_core(**_: object) -> None:
    """Bind this process, and all that it starts, to its core; raise its limit of open files."""
    raise_limit()
    core = os.environ.get("AGON_CORE")
    if core:
        os.sched_setaffinity(0, {int(core)})


@worker_ready.connect
def on_ready(**_: object) -> None:
    if PLAYING & app.amqp.queues.consume_from.keys():  # others make or sign archives, and have no engine
        worker.remove_leftovers()


@worker_shutdown.connect
def on_shutdown(**_: object) -> None:
    worker.close()
