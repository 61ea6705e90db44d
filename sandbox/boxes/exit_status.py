"""How a process ended, described for its author."""

import signal


def describe_exit(exit_: int) -> str:
    """ "exited with status 3", "killed by signal 11 (SIGSEGV)"; `exit_`: minus the signal if one ended it."""
    if exit_ >= 0:
        return f"exited with status {exit_}"
    try:
        name = signal.Signals(-exit_).name
    except ValueError:
        name = "unknown"
    return f"killed by signal {-exit_} ({name})"
