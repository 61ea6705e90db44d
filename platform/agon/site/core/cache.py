"""Caches that never fail: while the backend does, each process falls back to its own memory.

The cache is useful but never essential: it holds counts of rate limits, standings, offered languages. So a
broken Redis, or a full disk under a file cache, costs a warning in the log and not a page. After a failure
the backend is not tried for PAUSE seconds, so that a request waits for it once at most.
"""

import fcntl
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.locmem import LocMemCache

from agon.site.core import cache_values

PAUSE = 5.0  # seconds
METHODS = ("add", "get", "set", "touch", "delete", "get_many", "set_many", "delete_many", "has_key", "incr")

log = logging.getLogger(__name__)
_retry_at: dict[str, float] = {}  # when each failed cache is tried again, in monotonic seconds


class Patient:
    """A mixin for a cache class: METHODS fall back to memory while they fail."""

    failures: tuple[type[Exception], ...] = (OSError, cache_values.Unreadable)

    def __init__(self, location: Any, params: dict[str, Any]) -> None:
        super().__init__(location, params)  # type: ignore[call-arg]
        self._name = str(location)
        self._memory = LocMemCache(self._name, {key: params[key] for key in params if key != "OPTIONS"})

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= _retry_at.get(self._name, 0):
            try:
                return getattr(super(), method)(*args, **kwargs)
            except self.failures as error:
                _retry_at[self._name] = time.monotonic() + PAUSE
                log.warning("the cache failed; this process uses its own memory meanwhile: %s", error)
        return getattr(self._memory, method)(*args, **kwargs)


def _with_fallback(method: str) -> Any:
    def call(self: Patient, *args: Any, **kwargs: Any) -> Any:
        return self._call(method, *args, **kwargs)

    return call


for _method in METHODS:
    setattr(Patient, _method, _with_fallback(_method))


class _Files(FileBasedCache):
    """Files in a folder. `add` and `incr` are atomic, as in other caches: rate limits rely on it.

    Values are written like those in Redis, so that a value that cannot be is noticed.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        data = super().get(key, None, version)
        return default if data is None else cache_values.loads(data)

    def _write_content(self, file: Any, timeout: Any, value: Any) -> None:
        super()._write_content(file, timeout, cache_values.dumps(value))  # type: ignore[misc]

    def add(self, *args: Any, **kwargs: Any) -> bool:
        with self._alone():
            return super().add(*args, **kwargs)

    def incr(self, *args: Any, **kwargs: Any) -> int:
        with self._alone():
            return super().incr(*args, **kwargs)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep all other threads and processes out of these methods."""
        folder = Path(self._dir)  # type: ignore[attr-defined]
        folder.mkdir(0o700, parents=True, exist_ok=True)
        with open(folder / "lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
            yield


class PatientFiles(Patient, _Files):
    """Files in a folder."""
