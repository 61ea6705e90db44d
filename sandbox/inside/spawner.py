"""Starts programs one after another: a small process of our own between the worker and the bots of a session.

Theory of operation.

Processes:
- A session in which Python bots are run for each move, or something is built, has one spawner. The agent
  forks it in the session's workspace; it confines itself irrevocably.
- For each request it starts a program and waits for its end. It does little else: a process that forks pays
  for every page of memory that it touches between two forks.
- It is a subreaper: a process whose parent ends becomes its child. So as long as any process of a run is left
  it has a child. It kills them all before it reports.

Pipes:
- A socket to the worker: requests bring the arguments and the game's file, reports return how the program
  ended and the file.
- The programs' standard output and error are pipes of the worker, which also watches the time.

Trust:
- The spawner has no right that a bot does not have. Bots are started without a change of user, and the game's
  file, which a bot can replace by anything, is written and read as the bot itself could.
- Bots can neither read nor write its memory (not dumpable) nor take its socket.
- The worker gets bytes of known meaning from it: a status, two times, a file's content.

Failure:
- A bot can kill or stop the spawner, since it has its uid. Then there is no report, and the bot has failed.
- To stop a run the agent, asked by the worker, sends STOP: the spawner kills all other processes of the
  session, and the run is over.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # importing signal makes every fork touch enumerations
import json
import os
import sys

from . import bots, bundle, kernel, usage, warm, wire, workspace
from .game_file import GameFile
from .setup import GAME_FILE, WORK

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from types import CodeType
    from typing import NoReturn

    from .setup import Setup

STOP = int(_signal.SIGUSR1)
_SOCKET, _RESULT = 3, 4  # descriptors beside the programs' standard streams


def serve(setup: Setup, uid: int | None, fds: list[int], report: int) -> NoReturn:
    """Turn a process that was forked for this into the spawner.

    `fds`: the socket, the programs' standard output and error, and in a build the file for its result.
    `report`: a pipe for an error before the first request; closed when the spawner is ready.
    """
    try:
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        workspace.confine(setup, uid)
        kernel.adopt_orphans()
        _signal.signal(STOP, lambda *_: _kill_all())
        for number, fd in enumerate((null, fds[1], fds[2])):
            os.dup2(fd, number)
        for number, fd in enumerate((fds[0], *fds[3:]), _SOCKET):
            os.dup2(fd, number, inheritable=False)
        code = warm.code(setup)
    except BaseException as error:
        os.write(report, b"setup " + wire.explain(error).encode())
        os._exit(126)
    os.closerange(_SOCKET + len(fds) - 2, 1 << 20)
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
        head, data = wire.receive_bytes(_SOCKET)
        if head.startswith(wire.PACK):
            wire.send_bytes(_SOCKET, _pack(*json.loads(data)).encode())
            continue
        (has_file,) = wire.RUN.unpack_from(head)
        arguments = head[wire.RUN.size :]
        try:
            if has_file:
                game.write(data)
                arguments = b"\0" + GAME_FILE.encode() + arguments
            status, cpu_us, wait_us = _run_to_end(setup, code, arguments)
        except OSError as error:
            wire.send_bytes(_SOCKET, wire.REPORT.pack(-(error.errno or 1), 0, 0, False))
            continue
        after = game.read() if has_file else None
        wire.send_bytes(_SOCKET, wire.REPORT.pack(status, cpu_us, wait_us, after is not None), after or b"")


def _run_to_end(setup: Setup, code: CodeType | None, arguments: bytes) -> tuple[int, int, int]:
    """Start a program and wait for its end: its status, CPU time and wait time. Raises OSError."""
    workspace.enter_work_dir()
    pid = os.fork() if setup.python is not None else bots.spawn(setup, arguments)
    if pid == 0:
        os.closerange(_SOCKET, 1 << 20)
        _signal.signal(STOP, _signal.SIG_DFL)
        bots.exec_move(setup, code, arguments)
    kernel.await_end(pid)
    _, waited = usage.schedstat(f"/proc/{pid}")
    _, status, cpu_us, _ = kernel.reap(pid)
    if not kernel.has_no_children():
        _kill_rest()
    return status, cpu_us, waited


def _kill_rest() -> None:
    """End and reap what the program left running."""
    try:
        while True:
            _kill_all()
            kernel.reap(-1)
    except ChildProcessError:
        return


def _kill_all() -> None:
    """Send SIGKILL to every process of the session except this one and PID 1."""
    try:  # noqa: SIM105 (contextlib is not loaded here)
        os.kill(-1, _signal.SIGKILL)
    except ProcessLookupError:
        pass


def _pack(most_files: int, most_bytes: int) -> str:
    """Write what a build left into its result file; the reason why that failed, for the author, or ""."""
    try:
        with open(_RESULT, "wb", closefd=False) as out:
            bundle.pack(WORK, out, most_files, most_bytes)
    except bundle.BadBundle as error:
        return f"the result is not acceptable: {error}"
    except (OSError, RecursionError, UnicodeError) as error:
        return f"the result could not be read: {error}"
    return ""
