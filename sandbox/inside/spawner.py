"""Starts programs one after another: a small process of ours between the worker and a session's bots.

Theory of operation. A session of runs (a bot for each move, or the steps of a build) has one spawner. The
agent forks it in the session's room; it confines itself for good, and from then on the worker talks to it
directly: arguments and the game's file come, the program is started and waited for, how it ended and what
became of the file go back. Output goes through pipes of the worker's, who also watches the time.

It does nothing else, for two reasons. A process that forks pays for every page of memory that it touches
between two forks: one that hardly does anything is dear neither to itself nor to its children. And it has no
right that a bot has not: bots are started without changing to anybody, and the game's file, which they can
turn into whatever they like, is written and read as they could themselves.

A bot can kill or stop the spawner, since it has its uid: then there is no report, and that is the bot's own
affair. It can neither read nor write its memory (not dumpable) nor take its socket. What the worker hears
from here is bytes: the status of an end, two times, a file's content.

Whoever loses its parent becomes the spawner's child (subreaper). So as long as anybody is left of a run it
has a child; it ends them all before it reports, and then nobody is left to change anything. To stop a run
the agent, at the worker's wish, sends it STOP: it kills everybody, and the run is over.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself makes every fork touch enumerations
import json
import os
import struct
import sys
import time

from . import bots, bundle, kernel, usage, warm, wire, workspace
from .game_file import GameFile
from .setup import GAME_FILE, WORK

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from types import CodeType
    from typing import NoReturn

    from .setup import Setup

STOP = int(_signal.SIGUSR1)
SOCKET, RESULT = 3, 4  # its descriptors beside the programs' standard streams
RUN, PACK = struct.Struct("<?"), b"pack"  # requests: is there a file, then arguments; pack a build's result
REPORT = struct.Struct("<iqq?")  # status as wait(2) has it (below 0: minus the error number, there was no
# start), processor and waiting time in microseconds, whether the file is there. Its content follows.


def serve(setup: Setup, uid: int | None, given: list[int], report: int) -> NoReturn:
    """Become the spawner. Called in a process that was forked for it.

    `given`: socket, standard output and error of the programs, of a build the file for its result.
    `report` is a pipe for what went wrong before the first request; it is closed when nothing did.
    """
    try:
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        workspace.confine(setup, uid)
        kernel.adopt_orphans()
        _signal.signal(STOP, lambda *_: _kill_all())
        for number, fd in enumerate((null, given[1], given[2])):
            os.dup2(fd, number)
        for number, fd in enumerate((given[0], *given[3:]), SOCKET):
            os.dup2(fd, number, inheritable=False)
        code = warm.code(setup)
    except BaseException as error:
        os.write(report, b"setup " + wire.explain(error).encode())
        os._exit(126)
    os.closerange(SOCKET + len(given) - 2, 1 << 20)
    try:
        _serve(setup, code)
    except wire.Closed:
        os._exit(0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _serve(setup: Setup, code: CodeType | None) -> NoReturn:
    game = GameFile()
    while True:
        head, data = wire.receive_bytes(SOCKET)
        if head.startswith(PACK):
            wire.send_bytes(SOCKET, _pack(*json.loads(data)).encode())
            continue
        (has_file,) = RUN.unpack_from(head)
        words = head[RUN.size :]
        try:
            if has_file:
                game.write(data)
                words = b"\0" + GAME_FILE.encode() + words
            status, cpu_us, wait_us = _run_to_end(setup, code, words)
        except OSError as error:
            wire.send_bytes(SOCKET, REPORT.pack(-(error.errno or 1), 0, 0, False))
            continue
        after = game.read() if has_file else None
        wire.send_bytes(SOCKET, REPORT.pack(status, cpu_us, wait_us, after is not None), after or b"")


def _run_to_end(setup: Setup, code: CodeType | None, words: bytes) -> tuple[int, int, int]:
    """Start a program and wait for its end: status, processor and waiting time. Raises OSError."""
    enter_work_dir()
    pid = os.fork() if setup.python is not None else bots.spawn(setup, words)
    if pid == 0:
        os.closerange(SOCKET, 1 << 20)
        _signal.signal(STOP, _signal.SIG_DFL)
        bots.exec_move(setup, code, words)
    kernel.await_end(pid)
    _, waited = usage.schedstat(f"/proc/{pid}")
    _, status, cpu_us, _ = kernel.reap(pid)
    if not kernel.childless():
        _end_what_is_left()
    return status, cpu_us, waited


def enter_work_dir() -> None:
    """A bot that removed it, or put something else there, gets an empty one. Raises OSError.

    No link is followed: it would be with the rights of whoever stands there, the agent perhaps.
    """
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder = os.open(WORK, flags)
    except OSError:
        if os.path.lexists(WORK):
            os.rename(WORK, f"/box/.aside-{time.monotonic_ns()}")
        os.mkdir(WORK, 0o700)
        folder = os.open(WORK, flags)
    try:
        os.fchdir(folder)
    finally:
        os.close(folder)


def _end_what_is_left() -> None:
    try:
        while True:
            _kill_all()
            kernel.reap(-1)
    except ChildProcessError:
        return


def _kill_all() -> None:
    """SIGKILL for everybody of the session but this process (and PID 1), whom kill(2) spares."""
    try:  # noqa: SIM105 (contextlib is not loaded here)
        os.kill(-1, _signal.SIGKILL)
    except ProcessLookupError:
        pass


def _pack(most_files: int, most_bytes: int) -> str:
    """Write what a build has left into RESULT; why not, in words for its author, "" if all is well."""
    try:
        with open(RESULT, "wb", closefd=False) as out:
            bundle.pack(WORK, out, most_files, most_bytes)
    except bundle.BadBundle as error:
        return f"the result is not acceptable: {error}"
    except (OSError, RecursionError, UnicodeError) as error:
        return f"the result could not be read: {error}"
    return ""
