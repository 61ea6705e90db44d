"""Run a function over many items; one failure does not stop the rest."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")

log = logging.getLogger(__name__)


def for_each_isolated(items: Iterable[_T], do: Callable[[_T], object]) -> int:
    """Call `do` with each item; log what it raises. Returns how many calls returned something true."""
    done = 0
    for item in items:
        try:
            done += bool(do(item))
        except Exception:
            name = getattr(do, "__qualname__", repr(do))  # a partial has none
            log.exception("%s failed with %r; continuing with the rest", name, item)
    return done
