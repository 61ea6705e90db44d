"""Figures that are costly to compute and often asked for: those of a moment ago, shared by all readers."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

SHARE = 0.05  # of a processor, at most, for computing one figure
LONGEST = 24 * 3600.0  # seconds for which a figure is cached

T = TypeVar("T")


def recent(key: str, compute: Callable[[], T], least: float = 0.0) -> T:
    """What `compute` returned a moment ago. least: seconds for which it is fresh, at least.

    The longer it takes, the less often it is done, and by one process at a time, while others get the
    previous value.
    """
    kept: tuple[T] | None
    kept, fresh_until = cache.get(key, (None, 0.0))
    if kept is not None and time.time() < fresh_until:
        return kept[0]
    if not cache.add(f"{key}-computing", True, 60) and kept is not None:
        return kept[0]
    began = time.time()
    found = compute()
    pause = max(least, (time.time() - began) / SHARE)
    cache.set(key, ((found,), time.time() + pause), LONGEST)
    cache.delete(f"{key}-computing")
    return found


def is_kept(key: str) -> bool:
    """Whether `recent` has a value, fresh or not."""
    kept, _fresh_until = cache.get(key, (None, 0.0))
    return kept is not None
