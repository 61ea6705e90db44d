"""Figures that are costly to compute and often asked for: those of a moment ago, shared by all readers."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

SHARE = 0.05  # of a processor, at most, for computing one figure

T = TypeVar("T")


def recent(key: str, compute: Callable[[], T]) -> T:
    """What `compute` returned a moment ago. The longer it takes, the less often it is called."""
    found, fresh_until = cache.get(key, (None, 0.0))
    if time.time() < fresh_until:
        return found  # type: ignore[no-any-return]
    began = time.time()
    found = compute()
    pause = (time.time() - began) / SHARE
    cache.set(key, (found, time.time() + pause), pause + 1)
    return found
