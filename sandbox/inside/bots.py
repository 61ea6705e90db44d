"""Starting a bot: by exec, or by fork from the warm interpreter; always confined already.

The keeper carries every limit and filter that its children inherit. What is left to do here is what
differs: descriptors, a session of its own, and with uids the change of identity. A spawned process
changes it on the way (real uid set by the keeper for the moment of the spawn, effective ids reset in
the child before exec), which costs a third of fork, setuid and exec.
"""

from __future__ import annotations

import os
import signal

from . import kernel, warm
from .setup import Setup

_DEFAULTS = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores these, other programs do not


def start(setup: Setup, args: list[str], descriptors: tuple[int, int, int], uid: int | None) -> int:
    """Start the bot with these as its standard input, output and error; its pid. Raises OSError."""
    if setup.python is not None:
        return _fork(setup, args, descriptors, uid)
    return spawn([*setup.command, *args], setup.environment, descriptors, uid)


def spawn(
    argv: list[str], environment: dict[str, str], descriptors: tuple[int, int, int], uid: int | None
) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(descriptors)]
    if uid is None:
        return os.posix_spawnp(
            argv[0], argv, environment, file_actions=actions, setpgroup=0, setsigdef=_DEFAULTS
        )
    os.setresgid(uid, 0, 0)
    os.setresuid(uid, 0, 0)
    try:
        return os.posix_spawnp(
            argv[0], argv, environment, file_actions=actions, setpgroup=0, setsigdef=_DEFAULTS, resetids=True
        )
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


def _fork(setup: Setup, args: list[str], descriptors: tuple[int, int, int], uid: int | None) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        for number, fd in enumerate(descriptors):
            os.dup2(fd, number)
        os.closerange(3, 1 << 20)
        os.setpgid(0, 0)
        if uid is not None:
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        kernel.dumpable(True)
        warm.run(setup, args)
    finally:
        os._exit(126)
