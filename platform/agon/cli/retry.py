"""Retries when the sandbox fails, for example while a Docker engine is being restarted.

A worker reports the failure once and retries with growing pauses. Half a minute in all is enough for an
engine to restart on a busy machine, and not too long to wait if it was stopped for good.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from agon.cli.output import say
from sandbox.api import SandboxError

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between attempts

_T = TypeVar("_T")


def retry_sandbox(attempt: Callable[[], _T], sleep: Callable[[float], None] = time.sleep) -> _T:
    """Call `attempt` and return its result; while it raises SandboxError, call it again after each of PAUSES.

    Raises the last SandboxError, with the number of attempts in its message.
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
