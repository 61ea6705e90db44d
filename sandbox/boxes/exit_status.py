"""Describes how a process ended, for the author of a bot."""

import signal

from sandbox.reason import Reason


def describe_exit(exit_: int) -> Reason:
    """How it exited, or by which signal it was killed; `exit_`: minus the signal if one ended it."""
    if exit_ >= 0:
        return Reason("exited", status=exit_)
    try:
        name = signal.Signals(-exit_).name
    except ValueError:
        name = "unknown"
    return Reason("killed", number=-exit_, name=name)
