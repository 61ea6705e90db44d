"""Caches values that are costly to compute and often needed, for all readers.

A value is recomputed when it is older than its computation takes, times 1 / SHARE: the costlier, the older.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

SHARE = 0.05  # of a processor, at most, for recomputing one value
LONGEST = 24 * 3600.0  # seconds for which a value is cached

T = TypeVar("T")


def cached(key: str, compute: Callable[[], T], least: float = 0.0) -> T:
    """The cached value of `compute()`, recomputed if it is not fresh. `key` identifies it.

    least: seconds for which it is fresh, at least; longer if it takes long to compute. While one process
    recomputes it, others get the previous value.
    """
    kept: tuple[T] | None
    kept, fresh_until = cache.get(key, (None, 0.0))
    if kept is not None and time.time() < fresh_until:
        return kept[0]
    if not cache.add(f"{key}-computing", True, 60) and kept is not None:
        return kept[0]
    began = time.time()
    result = compute()
    pause = max(least, (time.time() - began) / SHARE)
    cache.set(key, ((result,), time.time() + pause), LONGEST)
    cache.delete(f"{key}-computing")
    return result


def is_kept(key: str) -> bool:
    """Whether `cached` has a cached value, fresh or not."""
    kept, _fresh_until = cache.get(key, (None, 0.0))
    return kept is not None


def is_fresh(key: str) -> bool:
    """Whether `cached` would return the cached value without computing it."""
    kept, fresh_until = cache.get(key, (None, 0.0))
    return kept is not None and time.time() < fresh_until
