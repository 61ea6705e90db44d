"""Caches values that are costly to compute and often needed, for all readers.

A value is recomputed when it is older than its computation takes, times 1 / SHARE: the costlier, the older.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

SHARE = 0.05  # of a processor, at most, for recomputing one value
LONGEST = 24 * 3600.0  # seconds for which a value is cached

_NOTHING = (None, 0.0, 0.0)

T = TypeVar("T")


def cached(key: str, compute: Callable[[], T], least: float = 0.0) -> T:
    """The cached value of `compute()`, recomputed if it is not fresh. `key` identifies it.

    least: seconds for which it is fresh, at least; longer if it takes long to compute. While one process
    recomputes it, others get the previous value.
    """
    kept: tuple[T] | None
    kept, computed, pause = cache.get(key, _NOTHING)
    if kept is not None and _is_fresh(computed, pause):
        return kept[0]
    if not cache.add(f"{key}-computing", True, 60) and kept is not None:
        return kept[0]
    began = time.monotonic()
    result = compute()
    pause = max(least, (time.monotonic() - began) / SHARE)
    cache.set(key, ((result,), time.time(), pause), LONGEST)
    cache.delete(f"{key}-computing")
    return result


def is_kept(key: str) -> bool:
    """Whether `cached` has a cached value, fresh or not."""
    kept, _computed, _pause = cache.get(key, _NOTHING)
    return kept is not None


def is_fresh(key: str) -> bool:
    """Whether `cached` would return the cached value without computing it."""
    kept, computed, pause = cache.get(key, _NOTHING)
    return kept is not None and _is_fresh(computed, pause)


def _is_fresh(computed: float, pause: float) -> bool:
    """computed: when, in seconds of time(); far ahead if the clock was put back since."""
    return abs(time.time() - computed) < pause
