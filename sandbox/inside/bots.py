"""Starting a bot: by spawning a program, or by going on in the warm interpreter.

An interpreter is forked, by the agent for a whole match, by the spawner (spawner.py) for a move, and the
child confines itself, or has been confined, and becomes the bot. A program is spawned, which costs a third of
fork and exec, by the agent for either, and confined by its start. Only where a Python bot's modules could
not be loaded beforehand, and in builds, it is fork and exec, or the spawner who spawns.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself makes every fork touch enumerations
import os

from . import kernel, warm, wire, workspace
from .setup import Setup

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import NoReturn

_DEFAULTS = (_signal.SIGPIPE, _signal.SIGXFSZ)  # Python ignores these, other programs do not


def exec_bot(setup: Setup, uid: int | None, descriptors: list[int], report: int) -> NoReturn:
    """Go on as the bot of a new session, with these as standard input, output and error.

    Called in a child that was forked in the session's room. `report` is a pipe for what went wrong, with
    `setup` or `exec` before it.
    """
    try:
        workspace.confine(setup, uid)
        for number, fd in enumerate(descriptors):
            os.dup2(fd, number)
        os.setpgid(0, 0)
        if setup.python is not None:
            os.closerange(3, 1 << 20)
            kernel.dumpable(True)
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
    argv = [*setup.command, *words(arguments)]
    return os.posix_spawnp(argv[0], argv, setup.environment, setpgroup=0, setsigdef=_DEFAULTS)


def spawn_confined(setup: Setup, uid: int | None, descriptors: Sequence[int], arguments: list[str]) -> int:
    """Start the program from the agent, in the session's room, on these descriptors; its pid. Raises OSError.

    The start takes every right from it: what the agent may do in its user namespace no program inherits
    (kernel.bound_capabilities), or else the effective user becomes the real one, which is the bots'.
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
    """Become the bot, for a move. Called in a child of the spawner's, confined as that is."""
    try:
        os.setpgid(0, 0)
        kernel.dumpable(True)
        warm.run(setup, words(arguments), code)
    finally:
        os._exit(126)


def words(arguments: bytes) -> list[str]:
    """Of a run's arguments. Each has a NUL before it, and there is one after the last."""
    return [os.fsdecode(word) for word in arguments.split(b"\0")[1:-1]]
