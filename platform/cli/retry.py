"""Retrying when the sandbox fails, for example while a Docker engine is being restarted.

A worker reports the failure once and retries with growing pauses. Half a minute in all is what an engine
needs to restart on a busy machine, and is not too long if the engine was stopped for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from cli.output import say
from sandbox import SandboxError

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between attempts

_T = TypeVar("_T")


def retry_sandbox(attempt: Callable[[], _T], sleep: Callable[[float], None] = time.sleep) -> _T:
    """The result of `attempt`, which is called again after each of PAUSES while it raises SandboxError.

    Raises SandboxError, which says how often it was tried, when the last attempt fails too.
    """
    for number, pause in enumerate(PAUSES):
        try:
            return attempt()
        except SandboxError as error:
            if not number:
                say(f"the sandbox is failing ({error}): retrying for up to {sum(PAUSES):g} s")
        sleep(pause)
    try:
        return attempt()
    except SandboxError as error:
        raise SandboxError(f"{error} (tried {len(PAUSES) + 1} times within {sum(PAUSES):g} s)") from error
