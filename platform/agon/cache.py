"""Caches that never fail: while the real one does, each process remembers for itself.

What is in the cache is of use but never needed: counts of rate limits, standings, offered languages. A broken
Redis, or a full disk under a cache of files, therefore costs a warning in the log and no page. For PAUSE
seconds after a failure the real cache is not asked again: a request that waited for it waits once.
"""

import logging
import time
from typing import Any

from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

PAUSE = 5.0  # seconds
METHODS = ("add", "get", "set", "touch", "delete", "get_many", "set_many", "delete_many", "has_key", "incr")
FAILURES = (RedisError, OSError)

log = logging.getLogger(__name__)
_asked_again: dict[str, float] = {}  # when each cache that has failed is tried again; monotonic seconds


class _Patient:
    """Put before a cache's own class: its METHODS answer from memory while they fail."""

    def __init__(self, location: Any, params: dict[str, Any]) -> None:
        super().__init__(location, params)  # type: ignore[call-arg]
        self._name = str(location)
        self._memory = LocMemCache(self._name, {key: params[key] for key in params if key != "OPTIONS"})

    def _ask(self, method: str, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= _asked_again.get(self._name, 0):
            try:
                return getattr(super(), method)(*args, **kwargs)
            except FAILURES as error:
                _asked_again[self._name] = time.monotonic() + PAUSE
                log.warning("the cache failed, this process remembers for itself meanwhile: %s", error)
        return getattr(self._memory, method)(*args, **kwargs)


def _asking(method: str) -> Any:
    def ask(self: _Patient, *args: Any, **kwargs: Any) -> Any:
        return self._ask(method, *args, **kwargs)

    return ask


for _method in METHODS:
    setattr(_Patient, _method, _asking(_method))


class PatientRedis(_Patient, RedisCache):
    """Redis."""


class PatientFiles(_Patient, FileBasedCache):
    """Files in a folder."""
