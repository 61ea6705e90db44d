"""Spares the garbage collector what lives as long as the process: what it imports, what first requests load.

Django and the apps make some hundred thousand objects. To look through them again and again takes a fifth of
the time that a process needs to start and to end. The first requests load as many: templates, patterns,
translations. Until they are frozen, too, each full collection makes a request wait.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

WARMING_COLLECTIONS = 20  # full ones, of a process that serves requests


@contextmanager
def gc_frozen() -> Iterator[None]:
    """Nothing is collected within the block, nor ever what is there at its end."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def freeze_survivors(collections: int = WARMING_COLLECTIONS) -> None:
    """Spare also what survives each of the next full collections.

    What a request holds at that moment is among it. It is freed as always when nothing refers to it any more,
    and only kept if it refers to itself, which is why this ends after some collections.
    """
    left = collections

    def freeze(phase: str, info: dict[str, int]) -> None:
        nonlocal left
        if phase == "stop" and info["generation"] == 2:
            gc.freeze()
            left -= 1
            if not left:
                gc.callbacks.remove(freeze)

    gc.callbacks.append(freeze)
