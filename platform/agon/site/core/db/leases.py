"""A lease reserves a row until a deadline that its holder keeps extending.

Matches, builds and trials are leased.

- Processes: the holder renews its lease while it works. One thread renews all leases of a process.
- Failure: a holder that dies, hangs or loses the database stops renewing, and the sweeper gives the row back
  once the lease has expired. Times are the database's, so that the clocks of the machines need not agree.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

from games.core.reason import Reason

LEASE = timedelta(seconds=15)
RENEWED_EVERY = 5.0  # seconds; two renewals may fail before the lease is lost
CHECK_EVERY = 1.0  # seconds between two checks for leases that are due
ATTEMPTS = 3  # at a match or a trial

log = logging.getLogger(__name__)


def now() -> datetime:
    """The time of the database; with SQLite, of this machine."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        [moment] = cursor.fetchone()
        assert isinstance(moment, datetime)
        return moment


def internal_error(error: Exception) -> Reason:
    """A reason for the public page. The error's own text may reveal addresses and names of the site."""
    return Reason("internal_error", error=type(error).__name__)


class _Renewals:
    """The leases that this process holds. One thread renews them; it ends when there is none to renew.

    Most leases end before the first renewal, so that a match costs no start of a thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held during a renewal, too
        self._due: dict[Callable[[], bool], float] = {}
        self._thread: threading.Thread | None = None

    def add(self, renew: Callable[[], bool]) -> None:
        with self._lock:
            self._due[renew] = time.monotonic() + RENEWED_EVERY
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._keep, name="leases", daemon=True)
                self._thread.start()

    def remove(self, renew: Callable[[], bool]) -> None:
        """Stop renewing. When this returns, no renewal is running."""
        with self._lock:
            self._due.pop(renew, None)

    def _keep(self) -> None:
        while True:
            time.sleep(CHECK_EVERY)
            with self._lock:
                if not self._due:
                    self._thread = None
                    return
                self._renew([renew for renew, due in self._due.items() if due <= time.monotonic()])

    def _renew(self, due: Sequence[Callable[[], bool]]) -> None:
        for renew in due:
            self._due[renew] = time.monotonic() + RENEWED_EVERY
            try:
                if not renew():
                    del self._due[renew]
            except DatabaseError:
                log.warning("a lease could not be renewed", exc_info=True)
        if due:
            connection.close()  # of this thread


_renewals = _Renewals()


@contextmanager
def renewing(renew: Callable[[], bool]) -> Iterator[None]:
    """Call `renew` every RENEWED_EVERY seconds, from a thread, until the block ends or `renew` returns False.

    Most blocks end sooner, without a single call.
    """
    _renewals.add(renew)
    try:
        yield
    finally:
        _renewals.remove(renew)
