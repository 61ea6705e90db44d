"""Many things done one after another, none of which keeps the others from their turn."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")

log = logging.getLogger(__name__)


def each(things: Iterable[_T], do: Callable[[_T], object]) -> int:
    """Call `do` with each of `things`; how often it returned something true. What it raises is logged."""
    done = 0
    for thing in things:
        try:
            done += bool(do(thing))
        except Exception:
            log.exception("%s failed with %r; on with the next", do.__qualname__, thing)
    return done
