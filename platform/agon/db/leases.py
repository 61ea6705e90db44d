"""A lease reserves a row until a deadline that its holder keeps extending.

Matches and builds are leased. The holder renews the lease from a thread while it works. A holder that dies,
hangs or
loses the database stops renewing, and the sweeper gives the row back. Times are the database's own, so that
the
machines' clocks need not agree.
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
    """The time of the database; with SQLite, of this machine."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        [time] = cursor.fetchone()
        assert isinstance(time, datetime)
        return time


def unforeseen(error: Exception) -> str:
    """Why the platform failed, for everyone: the error itself may reveal addresses and names."""
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
