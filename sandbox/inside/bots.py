"""Starting bots: by spawning a program, or by continuing in the warm interpreter.

- A Python bot is forked from the warm interpreter: by the agent for a whole match, by the spawner
  (spawner.py) for one move. The child confines itself, unless its parent was confined, and becomes the bot.
- A program is spawned by the agent, which costs a third of fork and exec. Spawning itself confines it.
- Fork and exec, or spawning by the spawner, remains for Python bots whose modules could not be loaded
  beforehand, and for builds.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # importing signal makes every fork touch enumerations
import os

from . import kernel, warm, wire, workspace
from .setup import Setup

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import NoReturn

_DEFAULTS = (_signal.SIGPIPE, _signal.SIGXFSZ)  # Python ignores these, other programs do not


def exec_bot(setup: Setup, uid: int | None, descriptors: list[int], report: int) -> NoReturn:
    """Turn a child that was forked in the session's workspace into its bot.

    `descriptors`: standard input, output and error. `report`: a pipe for an error message that begins
    with `setup` or `exec`.
    """
    try:
        workspace.confine(setup, uid)
        for number, fd in enumerate(descriptors):
            os.dup2(fd, number)
        os.setpgid(0, 0)
        if setup.python is not None:
            os.closerange(3, 1 << 20)
            kernel.set_dumpable(True)
            warm.run(setup, [], warm.code(setup))
        for number in _DEFAULTS:
            _signal.signal(number, _signal.SIG_DFL)
        _execute(setup, report)
    except BaseException as error:
        os.write(report, b"setup " + wire.explain(error).encode())
    finally:
        os._exit(126)


def _execute(setup: Setup, report: int) -> None:
    try:
        os.execvpe(setup.command[0], setup.command, setup.environment)
    except OSError as error:
        os.write(report, b"exec " + (error.strerror or "").encode())


def spawn(setup: Setup, arguments: bytes) -> int:
    """Start the program for a move, or a command of a build; its pid. Raises OSError."""
    argv = [*setup.command, *split_arguments(arguments)]
    return os.posix_spawnp(argv[0], argv, setup.environment, setpgroup=0, setsigdef=_DEFAULTS)


def spawn_confined(setup: Setup, uid: int | None, descriptors: Sequence[int], arguments: list[str]) -> int:
    """Start a program from the agent, in the session's workspace, on these descriptors; its pid.

    Raises OSError. The program starts without any privilege. In namespaces no program inherits the agent's
    capabilities (kernel.bound_capabilities). Otherwise the effective uid becomes the real one, which is the
    session's.
    """
    argv = [*setup.command, *arguments]
    streams = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(descriptors)]
    if uid is not None:
        os.setresgid(uid, 0, 0)
        os.setresuid(uid, 0, 0)
    workspace.prefer_for_oom_kill(setup, True)
    try:
        return os.posix_spawnp(
            argv[0],
            argv,
            setup.environment,
            file_actions=streams,
            setpgroup=0,
            setsigdef=_DEFAULTS,
            resetids=uid is not None,
        )
    finally:
        workspace.prefer_for_oom_kill(setup, False)
        if uid is not None:
            os.setresuid(0, 0, 0)
            os.setresgid(0, 0, 0)


def exec_move(setup: Setup, code: CodeType | None, arguments: bytes) -> NoReturn:
    """Turn a child of the spawner, which is confined already, into the bot of one move."""
    try:
        os.setpgid(0, 0)
        kernel.set_dumpable(True)
        warm.run(setup, split_arguments(arguments), code)
    finally:
        os._exit(126)


def split_arguments(arguments: bytes) -> list[str]:
    """The arguments of a run. Each is preceded by a NUL, and the last one is followed by a NUL."""
    return [os.fsdecode(word) for word in arguments.split(b"\0")[1:-1]]
