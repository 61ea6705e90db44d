"""A bot that runs on this machine for a match of a site: a process that is asked line by line.

It runs as every program of its owner does, in no sandbox: with the owner's files, network and devices.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from select import select
from typing import Any

from agon.cli.output import CommandError
from agon.cli.resolve import find_game
from agon.contest.adapters import adapter_of
from games.core.manifest import Channel
from sandbox.building.loading import is_ready

STARTS = -1  # the step in which a bot is started
SECONDS_TO_END = 5.0  # after its input was closed
LOOK_EVERY = 1.0  # seconds between two looks at whether the process has ended
ASK_EVERY = 10.0  # seconds between two questions whether its answer is still waited for
CHUNK = 1 << 16
# A shell that waits for the end of its input, which only this process can write to, and then ends the bot
# with all that is in its group. So they end also if this process is killed, which gives it no time for that.
ENDS_WITH_US = 'read -r _; kill -s KILL -- "-$0"'


class _NotWaitedFor(Exception):
    """The site no longer waits for the answer."""


def command_of(words: Sequence[str], line: Mapping[str, Any], at_end: ExitStack) -> list[str]:
    """The command line that runs the bot. line: as the site described it. Raises CommandError."""
    path = Path(words[0])
    if len(words) > 1 or not path.exists():
        if shutil.which(words[0]) is not None:
            return list(words)
        if path.exists():
            raise CommandError(f"{path} is no program that can be run with {words[1]!r}")
        raise CommandError(f"there is no file or program {words[0]}")
    if path.is_dir():
        raise CommandError(f"{path} is a folder: name the file, or the command line, that runs the bot")
    if path.suffix == ".py":
        return [sys.executable, "-u", *_adapter(line, at_end), str(path.resolve())]
    if not os.access(path, os.X_OK):
        raise CommandError(f"{path} cannot be run: name the command line that runs it, as in: -- node {path}")
    return [str(path.resolve())]


def _adapter(line: Mapping[str, Any], at_end: ExitStack) -> list[str]:
    """The program before a file with a Python function, where the game asks for one. For that alone the game
    has to be here, too. Raises CommandError.
    """
    if line["channel"] != Channel.FUNCTION:
        return []
    try:
        adapter = adapter_of(find_game(str(line["game"])))
    except CommandError as error:
        raise CommandError(
            f"{error} A Python function of another game cannot be called here: name a command line that"
            " plays it, as in: -- python3 -u bot.py"
        ) from None
    if adapter is None:
        return []
    folder = at_end.enter_context(tempfile.TemporaryDirectory(prefix="agon-"))
    for name, data in adapter.files.items():
        Path(folder, name).write_bytes(data)
    return [str(Path(folder, adapter.entry))]


class HomeBot:
    """Runs the bot anew for each match (for each attempt at one), and asks it."""

    def __init__(self, command: Sequence[str], line: Mapping[str, Any]) -> None:
        self._command = command
        self._expects_ready = line["ready_ms"] is not None
        self._longest = int(line["answer_bytes"]) + 1  # a longer line is as wrong
        self._playing: tuple[int, ...] = ()
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._is_waited_for: Callable[[], bool] = lambda: True
        self._ask_every = ASK_EVERY

    def __enter__(self) -> "HomeBot":
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()

    def knows(self, ask: Mapping[str, Any]) -> bool:
        """Whether the process is that of this match, and has received everything asked before this."""
        return ask["step"] != STARTS and self._playing == _seat_of(ask)

    def start(self, ask: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]) -> None:
        """Start it for this match. earlier: what was asked before, which it is sent again; answers to that
        are not sent.
        """
        self._end()
        self._playing = _seat_of(ask)
        try:
            self._process = subprocess.Popen(
                self._command, 0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise CommandError(f"{self._command[0]}: {error.strerror or error}") from None
        self._guard = subprocess.Popen(
            ["sh", "-c", ENDS_WITH_US, str(self._process.pid)], stdin=subprocess.PIPE, start_new_session=True
        )
        if ask["step"] == STARTS:
            return
        if self._expects_ready:
            self._ready()
        for asked in earlier:
            if asked["attempt"] == ask["attempt"] and asked["step"] != STARTS:
                self._ask(str(asked["text"]))

    def answer(
        self,
        ask: Mapping[str, Any],
        is_waited_for: Callable[[], bool] = lambda: True,
        ask_every: float = ASK_EVERY,
    ) -> str | None:
        """Its line; None if it has ended, or is ended here because the site no longer waits for it."""
        self._is_waited_for, self._ask_every = is_waited_for, ask_every
        try:
            line = self._ready() if ask["step"] == STARTS else self._ask(str(ask["text"]))
        except _NotWaitedFor:
            self._end(0)
            return None
        if line is None:
            return None
        # What JSON cannot hold on its way into a database is no part of any move either. Escapes are longer
        # than what they stand for, and the site refuses a text that is longer than the longest line.
        return line.decode("utf-8", "backslashreplace").replace("\0", "\\x00")[: self._longest]

    def _ready(self) -> bytes | None:
        """READY, after whatever lines; the last line, or None, if it ends without."""
        last = None
        while (line := self._line()) is not None:
            if is_ready(line):
                return b"READY"
            last = line
        return last

    def _ask(self, text: str) -> bytes | None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            _write(self._process.stdin.fileno(), text.encode() + b"\n")
        except (BrokenPipeError, ValueError):
            return None
        return self._line()

    def _line(self) -> bytes | None:
        """The next line without its end, cut where it is too long anyway; None at the end of the output."""
        line = b""
        while True:
            part, end, self._unread = self._unread.partition(b"\n")
            line = (line + part)[: self._longest]
            if end:
                return line
            self._unread = self._read()
            if not self._unread:
                return None

    def _read(self) -> bytes:
        """What it writes next; nothing once it has ended, though what it has started may hold its output.

        Raises _NotWaitedFor.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        asked = time.monotonic()
        while True:
            has_ended = self._process.poll() is not None
            if select([self._process.stdout], [], [], 0 if has_ended else min(LOOK_EVERY, self._ask_every))[
                0
            ]:
                return os.read(self._process.stdout.fileno(), CHUNK)
            if has_ended:
                return b""
            if time.monotonic() > asked + self._ask_every:
                asked = time.monotonic()
                if not self._is_waited_for():
                    raise _NotWaitedFor

    def _end(self, seconds: float = SECONDS_TO_END) -> None:
        """End it, after so many seconds to do so by itself, with the processes that it has left behind."""
        process, self._process, self._playing, self._unread = self._process, None, (), b""
        if process is None or process.stdin is None or process.stdout is None:
            return
        try:
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        finally:  # also if Ctrl-C is pressed once more meanwhile
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            self._dismiss_guard()  # before the number of the group is free for others
            process.wait()
            process.stdout.close()

    def _dismiss_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is not None and guard.stdin is not None:
            guard.kill()
            guard.wait()
            guard.stdin.close()


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _seat_of(ask: Mapping[str, Any]) -> tuple[int, ...]:
    return ask["match"], ask["attempt"], ask["seat"]
