"""Has one worker at a time make a file, or whatever else none of them should make twice.

The worker holds a lock in the cache, and renews it while it works. One that dies leaves it for LOCK_SECONDS,
as does one that fails because the database does not answer or a disk is full. After any other failure nothing
is tried for RETRY_SECONDS.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from django.core.cache import cache

from agon.site.core.db.leases import renewing
from agon.site.core.db.unavailable import is_unavailable
from agon.site.core.disk_space import is_full

LOCK_SECONDS = 60
RETRY_SECONDS = 600

_T = TypeVar("_T")
log = logging.getLogger(__name__)


class NoRoom(Exception):
    """A disk is too full for what is to be made."""


class Made(NamedTuple, Generic[_T]):
    """What was made."""

    value: _T


def make_alone(key: str, what: str, make: Callable[[], _T]) -> Made[_T] | None:
    """What `make` returns; None if another worker makes it, or it failed, just now or lately.

    key: of the lock. what: for the log, such as "the export of spring-cup".
    """
    if not cache.add(key, True, LOCK_SECONDS):
        return None
    try:
        with renewing(partial(cache.touch, key, LOCK_SECONDS)):
            value = make()
    except NoRoom as shortage:
        cache.set(key, True, RETRY_SECONDS)
        log.warning("%s waits: %s", what, shortage)
        return None
    except Exception as error:
        passes = is_unavailable(error) or is_full(error)
        cache.set(key, True, LOCK_SECONDS if passes else RETRY_SECONDS)
        log.exception("%s could not be made", what)
        return None
    cache.delete(key)
    return Made(value)
