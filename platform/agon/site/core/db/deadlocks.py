"""Repeats a transaction that PostgreSQL rolled back because of a deadlock.

Locks are taken in an order that allows none (agon.site.core.db.transitions), but the database locks rows and
index entries of its own accord, too. It rolls back one of the transactions that wait for each other. Once the
other one has ended, the same transaction succeeds.
"""

import logging
import random
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection

_P = ParamSpec("_P")
_T = TypeVar("_T")
_DEADLOCK = "40P01"  # SQLSTATE deadlock_detected
ATTEMPTS = 4
PAUSE = 0.1  # seconds, times the number of the attempt

log = logging.getLogger(__name__)


def repeated_after_deadlock(transact: Callable[_P, _T]) -> Callable[_P, _T]:
    """Call `transact`, which commits, again if it was rolled back because of a deadlock.

    The pause before it lets the other transaction take the locks that were released: on a busy machine, one
    that begins again at once may take them first, and meet a deadlock again. The last of ATTEMPTS is raised
    (OperationalError), and so is one inside a transaction of the caller.
    """

    @wraps(transact)
    def repeated(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        for attempt in range(1, ATTEMPTS):
            try:
                return transact(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not _is_deadlock(error):
                    raise
                log.warning("%s met a deadlock, was rolled back, and begins again", transact.__qualname__)
            time.sleep(PAUSE * attempt * random.uniform(0.5, 1))
        return transact(*args, **kwargs)

    return repeated


def _is_deadlock(error: OperationalError) -> bool:
    return getattr(error.__cause__, "pgcode", None) == _DEADLOCK
