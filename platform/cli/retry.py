"""Waiting for a sandbox that has failed, such as a Docker engine that is being restarted.

The worker says once that it waits, and tries again after longer and longer pauses. Half a minute altogether
is what an engine takes to come back on a busy machine, and not too long where it was stopped for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from cli.output import say
from sandbox import SandboxError

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between two attempts

_T = TypeVar("_T")


def waited_out(attempt: Callable[[], _T], sleep: Callable[[float], None] = time.sleep) -> _T:
    """What `attempt` returns; as long as it raises SandboxError it is made again, after each of PAUSES.

    Raises SandboxError, which says how long it was waited for, when the last attempt has failed, too.
    """
    for waited, pause in enumerate(PAUSES):
        try:
            return attempt()
        except SandboxError as error:
            if not waited:
                say(f"the sandbox fails ({error}): waiting for it, {sum(PAUSES):g} s at most")
        sleep(pause)
    try:
        return attempt()
    except SandboxError as error:
        raise SandboxError(
            f"{error} (it was tried {len(PAUSES) + 1} times within {sum(PAUSES):g} s)"
        ) from error
