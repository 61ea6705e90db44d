"""Leases: a row that somebody works on is his until a time that he keeps putting off.

Matches and builds are both leased. The holder renews the lease from a thread while he works; one that dies,
hangs or is cut off from the database stops renewing, and the sweeper gives the row to somebody else. Times
are the database's own, so that the clocks of the machines need not agree.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

LEASE = timedelta(seconds=15)
RENEWED_EVERY = 5.0  # seconds; two renewals may fail before the lease is lost
ATTEMPTS = 3

log = logging.getLogger(__name__)


def now() -> datetime:
    """The time of the database (of this machine, where SQLite is a part of the process)."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        [time] = cursor.fetchone()
        assert isinstance(time, datetime)
        return time


def unforeseen(error: Exception) -> str:
    """Why the platform has failed, for everybody to read: its own words may tell of addresses and names."""
    return f"an unforeseen {type(error).__name__}, which the worker's log tells more about"


@contextmanager
def renewing(renew: Callable[[], bool]) -> Iterator[None]:
    """Call `renew` every RENEWED_EVERY seconds, from a thread, until the block ends or `renew` returns False.

    Most blocks end sooner, without a single call.
    """
    done = threading.Event()

    def keep() -> None:
        try:
            while not done.wait(RENEWED_EVERY):
                try:
                    if not renew():
                        return
                except DatabaseError:
                    log.warning("a lease could not be renewed", exc_info=True)
                    connection.close()
        finally:
            connection.close()  # of this thread

    thread = threading.Thread(target=keep, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
