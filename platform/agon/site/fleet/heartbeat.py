"""Says every few seconds that a process is alive, and what it does; stores what it counted meanwhile.

Theory of operation.

- Threads: a daemon thread of each process writes, so that a match, a build or a page that takes long does not
  make it look dead. A process whose main loop stands still can say so (`is_turning`), and is then silent.
- Writes: one row for each process, every EVERY seconds, and a row for each count that was raised, and for
  each error that was logged. The connection is closed after each, because PostgreSQL allows few.
- Files: the process also touches a file in the folder for temporary files, by which the health check of its
  container (agon.supervisor.alive) sees without a database that it is alive.
- Imports: the scheduler sets up no apps, so this uses no models, only SQL that PostgreSQL and SQLite share.
- Failure: while the database does not answer, counts are kept, and the process is silent.
"""

import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from agon import __version__
from agon.site.core import counting, errors_seen
from agon.site.core.alive import alive_file
from agon.site.core.counting import Counts
from agon.site.core.db.leases import now
from agon.site.core.errors_seen import ErrorSeen

EVERY = 15.0  # seconds

PROCESS = """
INSERT INTO fleet_process (place, kind, machine, version, pid, since, seen, stopped, facts)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (place) DO UPDATE SET
    kind = excluded.kind, machine = excluded.machine, version = excluded.version, pid = excluded.pid,
    since = excluded.since, seen = excluded.seen, stopped = excluded.stopped, facts = excluded.facts
"""
TOTAL = """
INSERT INTO fleet_total (name, labels, value) VALUES (%s, %s, %s)
ON CONFLICT (name, labels) DO UPDATE SET value = fleet_total.value + excluded.value
"""

ERROR = """
INSERT INTO fleet_loggederror (key, logger, text, place, count, first, last)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (key) DO UPDATE SET
    text = excluded.text, place = excluded.place, last = excluded.last,
    count = fleet_loggederror.count + excluded.count
"""

log = logging.getLogger(__name__)


def always() -> bool:
    """The main loop of a process of which it is not known."""
    return True


def host() -> str:
    """Where this process runs: a boot of a machine, and the folder of its data. Unreadable for others."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return hashlib.sha256(os.fsencode(f"{boot} {settings.VAR}")).hexdigest()[:16]


def pids() -> int:
    """Of which numbers `pid` is one: those of this container, or of the machine."""
    return os.stat("/proc/self/ns/pid").st_ino


def birth(pid: int) -> str:
    """When the process with this number was started, in ticks since the boot; "" if there is none.

    A number is used again, but not with the same time.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]  # before it is a name, which may hold anything


def _disk_free() -> int:
    """Bytes that are free in the file system of AGON_VAR."""
    disk = os.statvfs(settings.VAR)
    return disk.f_bavail * disk.f_frsize


class Heartbeat:
    """The thread that says that this process is alive."""

    def __init__(
        self,
        name: str,
        kind: str,
        facts: Callable[[], Mapping[str, Any]] = dict,
        is_turning: Callable[[], bool] = always,
        has_file: bool = True,
    ) -> None:
        """name: of no other process of this machine. kind: an agon.site.fleet.models.Process.Kind.

        facts: what it does, as JSON; called by the thread. has_file: whether it touches a file.
        """
        self.place = f"{settings.AGON_MACHINE}:{name}"
        self._name, self._kind, self._facts, self._is_turning = name, kind, facts, is_turning
        self._has_file = has_file
        self._since: Any = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Say so from now on."""
        self._thread.start()

    def stop(self, patience: float = 1.0) -> None:
        """Say that the process ends as requested. patience: seconds that this may take."""
        self._ended.set()
        self._thread.join(patience)

    def beat(self, stopped: bool = False) -> None:
        """Say it once. Raises what the database raises."""
        if not self._is_turning():
            return
        if self._has_file:
            alive_file(self._name).touch()
        counts, errors = counting.take(), errors_seen.take()
        try:
            self._write(counts, errors, stopped)
        except BaseException:
            counting.put_back(counts)
            errors_seen.put_back(errors)
            raise

    def _write(self, counts: Counts, errors: Sequence[ErrorSeen], stopped: bool) -> None:
        seen = now()
        self._since = self._since or seen
        adapt = connection.ops.adapt_datetimefield_value
        own = {"disk_free": _disk_free(), "host": host(), "pids": pids(), "birth": birth(os.getpid())}
        facts = json.dumps(own | dict(self._facts()))
        row = [self.place, self._kind, settings.AGON_MACHINE, __version__, os.getpid()]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(PROCESS, [*row, adapt(self._since), adapt(seen), stopped, facts])
            for (name, labels), by in sorted(counts.items()):  # in one order: no deadlocks
                text = ",".join(f"{label}={value}" for label, value in labels)
                cursor.execute(TOTAL, [name, text, by])
            for error_seen in sorted(errors, key=lambda error: error.key):
                last = adapt(error_seen.last)
                cursor.execute(
                    ERROR,
                    [
                        error_seen.key,
                        error_seen.logger,
                        error_seen.text,
                        self.place,
                        error_seen.count,
                        last,
                        last,
                    ],
                )

    def _keep(self) -> None:
        failed = False
        while not self._ended.wait(0.0 if self._since is None and not failed else EVERY):
            failed = not self._try(stopped=False)
        self._try(stopped=True)

    def _try(self, stopped: bool) -> bool:
        try:
            self.beat(stopped)
        except Exception as error:
            log.warning("%s could not say that it is alive: %s: %s", self.place, type(error).__name__, error)
            return False
        finally:
            connection.close()  # of this thread
        return True
