"""Whether this process can do its work: the database, the migrations, the broker, the storage, the disk.

Theory of operation.

- Threads: each check runs in a daemon thread of its own, so that one that hangs delays neither the others nor
  the answer. It gets PATIENCE seconds; the next look does not start it again while it still hangs.
- Connections: the database is asked over a connection of its own with short time-outs, never over one that
  a page uses.
- Trust: what a check found may name hosts and folders of the site. Passwords and keys are taken out of it,
  and readers decide who sees the rest (agon.site.web.fleet.door).
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection as of_pages
from django.db.backends.base.base import BaseDatabaseWrapper
from kombu import Producer, Queue

from agon.site.celery import app
from agon.site.core.db import schema
from agon.site.core.disk_space import disk_shortage
from agon.site.core.without_secrets import without_secrets

PATIENCE = 3.0  # seconds for all checks together
CONNECTING = 2  # seconds; libpq takes no less
ANSWERING = 2000  # milliseconds, for one query
LONGEST_DETAIL = 300  # characters
OF_THE_CHECK = "health"  # a queue that nothing reads


class NotReady(Exception):
    """A check failed; the message says what is wrong, for the operator."""


@dataclass(frozen=True)
class Found:
    """What a check found. detail: for the operator alone; "" if all is well."""

    name: str
    is_ok: bool
    seconds: float
    detail: str = ""


class Probe:
    """A check, and its latest run."""

    def __init__(self, name: str, check: Callable[[], None]) -> None:
        self.name = name
        self._check = check
        self._lock = threading.Lock()
        self._run: Future[None] | None = None
        self._began = 0.0  # monotonic seconds

    def start(self) -> None:
        """Start the check, unless it hangs since an earlier look."""
        with self._lock:
            if self._run is not None and not self._run.done():
                return
            self._run, self._began = Future(), time.monotonic()
            threading.Thread(target=self._carry_out, args=(self._run,), name=self.name, daemon=True).start()

    def result(self, until: float) -> Found:
        """What it found. until: monotonic seconds; a check that has not ended by then has failed."""
        assert self._run is not None
        try:
            self._run.result(max(0.0, until - time.monotonic()))
        except Exception as error:
            return Found(self.name, False, self._seconds(), self._detail(error))
        return Found(self.name, True, self._seconds())

    def _carry_out(self, run: "Future[None]") -> None:
        try:
            self._check()
        except Exception as error:
            run.set_exception(error)
        else:
            run.set_result(None)

    def _seconds(self) -> float:
        return round(time.monotonic() - self._began, 3)

    def _detail(self, error: Exception) -> str:
        if isinstance(error, TimeoutError) and self._run is not None and not self._run.done():
            return f"no answer within {self._seconds():.0f} s"
        text = str(error) if isinstance(error, NotReady) else f"{type(error).__name__}: {error}"
        return without_secrets(" ".join(text.split()))[:LONGEST_DETAIL]


@contextmanager
def own_connection() -> Iterator[BaseDatabaseWrapper]:
    """A connection to the database that gives up soon."""
    database = of_pages.copy()
    if database.vendor == "postgresql":
        options = database.settings_dict["OPTIONS"]
        options["connect_timeout"] = CONNECTING
        options["options"] = f"{options.get('options', '')} -c statement_timeout={ANSWERING}".strip()
    try:
        yield database
    finally:
        database.close()


def database_answers() -> None:
    """Raises what the database raises, and NotReady if it takes no writes."""
    with own_connection() as connection, connection.cursor() as cursor:
        is_postgresql = connection.vendor == "postgresql"
        cursor.execute("SHOW transaction_read_only" if is_postgresql else "SELECT 1")
        if cursor.fetchone() == ("on",):
            raise NotReady("it takes no writes: transaction_read_only is on")


def migrations_are_applied() -> None:
    """Raises NotReady if the database is older than this version of Agon."""
    with own_connection() as connection:
        missing = schema.pending(connection)
    if missing:
        first = ", ".join(missing[:3])
        raise NotReady(f"{len(missing)} migrations are not applied, such as {first}: run manage.py migrate")


def broker_takes_messages() -> None:
    """Send a message and remove it: a Redis that takes no writes answers, too.

    Raises what the broker raises.
    """
    with app.connection_for_write() as connection:
        channel = connection.default_channel
        Producer(channel).publish("", routing_key=OF_THE_CHECK)
        Queue(OF_THE_CHECK, channel=channel).purge()


def storage_is_writable() -> None:
    """Write, read and remove a small file. Raises NotReady, or what the storage raises."""
    name, text = f"health/{settings.AGON_MACHINE}-{os.getpid()}", str(time.time_ns()).encode()
    default_storage.delete(name)  # of a process of the same number that was killed
    kept = default_storage.save(name, ContentFile(text))
    try:
        with default_storage.open(kept) as file:
            if file.read() != text:
                raise NotReady(f"the storage returned other bytes for {kept} than were written")
    finally:
        default_storage.delete(kept)


def disk_has_space() -> None:
    """Raises NotReady if a disk is nearly full."""
    if shortage := disk_shortage():
        raise NotReady(str(shortage))


PROBES = (
    Probe("database", database_answers),
    Probe("migrations", migrations_are_applied),
    Probe("broker", broker_takes_messages),
    Probe("storage", storage_is_writable),
    Probe("disk", disk_has_space),
)


def look() -> list[Found]:
    """What all checks find, within about PATIENCE seconds."""
    for probe in PROBES:
        probe.start()
    until = time.monotonic() + PATIENCE
    return [probe.result(until) for probe in PROBES]
