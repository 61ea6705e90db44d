"""Describes how a process ended, for the author of a bot."""

import signal

from sandbox.reason import Reason


def describe_exit(exit_: int) -> str:
    """ "exited with status 3", "killed by signal 11 (SIGSEGV)"; `exit_`: minus the signal if one ended it."""
    if exit_ >= 0:
        return Reason("exited with status %(status)s", status=exit_)
    try:
        name = signal.Signals(-exit_).name
    except ValueError:
        name = "unknown"
    return Reason("killed by signal %(number)s (%(name)s)", number=-exit_, name=name)
