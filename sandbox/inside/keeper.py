"""The keeper: one process a session, which starts the bot, measures it and ends all it left.

Theory of operation. The agent forks a keeper for every session and hands it the session's socket,
whose other end the referee holds. The keeper makes the session's room (room.py), confines itself
for good, and then serves the referee's requests one at a time:

    start   a bot for the whole match, on pipes whose ends came with the message
    run     the bot once, to its end: game file in, standard output and game file out
    status  has the bot ended, and how; what has it used so far
    kill    every process of the session
    build   commands, one after another, then the resulting files out
    end     kill everything, wipe, report; the keeper exits

Bots cannot reach it: in namespaces it is PID 1 there, which no process inside can signal; with
uids it is root's. It cannot be traced or read (not dumpable), no bot has its descriptors. It drains
the bot's standard error at all times, so that a bot never blocks on it. If memory is not counted by
the kernel it also adds up the bots' memory twenty times a second and kills them if it is too much.
If the referee's end closes it exits at once, and in namespaces everything of the session with it;
with uids the agent sees its death and kills the rest.
"""

from __future__ import annotations

import errno
import os
import resource
import select
import signal
import socket
import stat
import sys
import time

from . import bots, build, room, usage, wire
from .kept import Kept, complains
from .setup import GAME, GAME_FILE, WORK, Setup

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from typing import Any, NoReturn

_KEPT = 32 << 10
_WATCH_MS = 50
_MOST_FILE = 4 << 20


def main(sock: socket.socket, setup: Setup) -> NoReturn:
    """Serve one session, then exit. Called in the process forked for it."""
    status = 1
    try:
        keeper = Keeper(sock, setup)
        try:
            keeper.enter()
        except Exception as error:
            wire.send(sock, {"broken": f"a session could not be prepared: {wire.explain(error)}"})
            os._exit(1)
        keeper.serve()
        status = 0
    except wire.Closed:
        pass
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


class Keeper:
    def __init__(self, sock: socket.socket, setup: Setup) -> None:
        self.sock = sock
        self.setup = setup
        self.uid: int | None = None
        self.stderr = Kept(_KEPT)
        self.cpu_us = 0
        self.written = 0  # bytes of standard output in all runs
        self.watch_ns = 0  # when to add up the bots' memory next
        self.overfull = False  # killed for using too much memory together
        self.bot: int | None = None  # the pid of the bot started for a whole match
        self.ended: dict[str, Any] | None = None  # and how it ended
        self.pidfd = -1

    def enter(self) -> None:
        self.null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        self.uid = room.enter(self.setup, building=not self.setup.command)
        self.error_in, self.error_out = pipe()
        self.output_in, self.output_out = pipe()
        self.poll = select.poll()
        self.poll.register(self.sock, select.POLLIN)
        self.poll.register(self.error_in, select.POLLIN)

    def serve(self) -> None:
        operations = {"start": self._start, "run": self._run, "status": self._status, "kill": self._kill}
        while True:
            if not self._wait(None if self.bot is None else self._watch_ms()):
                continue
            fields, data, fds = wire.receive(self.sock)
            operation = fields.pop("op")
            if operation == "end":
                return self._end()
            if operation == "build":
                build.run(self, fields, fds)
            else:
                operations[operation](fields, data, fds)

    def _watch_ms(self) -> int | None:
        return None if self.setup.memory_counted else _WATCH_MS

    def _wait(self, timeout_ms: float | None) -> bool:
        """Poll once, doing what always has to be done; True if the referee has said something."""
        said = False
        ready = self.poll.poll(timeout_ms)
        for fd, _ in ready:
            if fd == self.error_in:
                self._drain_error()
            elif fd == self.pidfd:
                self._bot_ended()
            elif fd == self.sock.fileno():
                said = True
        self._watch_memory()
        return said

    def _drain_error(self) -> None:
        drain(self.error_in, self.stderr, 1 << 20)

    def _watch_memory(self) -> None:
        """Where the kernel does not: add up the bots' memory, now and then however busy things are."""
        if self.setup.memory_counted or time.monotonic_ns() < self.watch_ns:
            return
        self.watch_ns = time.monotonic_ns() + _WATCH_MS * 1_000_000
        if usage.more_memory_than(self.setup.memory):
            self.overfull = True
            self.kill_all(reap=False)

    # One bot for the whole match

    def _start(self, _: dict[str, Any], __: bytes, fds: list[int]) -> None:
        stdin, stdout = fds
        try:
            self._work_folder()
            pid = bots.start(self.setup, [], (stdin, stdout, self.error_out), self.uid)
        except OSError as error:
            wire.send(self.sock, {"refused": why_not_started(self.setup.command, error)})
            return
        finally:
            os.close(stdin)
            os.close(stdout)
        self.bot = pid
        self.pidfd = os.pidfd_open(pid)
        self.poll.register(self.pidfd, select.POLLIN)
        statistics = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        wire.send(self.sock, {"pid": pid}, fds=(statistics,))
        os.close(statistics)

    def _bot_ended(self) -> None:
        assert self.bot is not None
        self.poll.unregister(self.pidfd)
        os.close(self.pidfd)
        self.pidfd = -1
        _, status, used = os.wait4(self.bot, 0)
        self.cpu_us += processor_us(used)
        self.ended = {"exit": os.waitstatus_to_exitcode(status)}

    def _status(self, fields: dict[str, Any], _: bytes, __: list[int]) -> None:
        """How things are. Waits `wait_ms` for the bot's end, if it has not ended yet.

        Answers what all threads have used and waited, when that was (`at_ns`), and of those beside
        the main thread that were started since `since_ns`, if that is given, the same once more.
        """
        deadline = time.monotonic() + fields["wait_ms"] / 1000
        while self.bot is not None and self.ended is None and (left := deadline - time.monotonic()) > 0:
            if self._wait(left * 1000):
                break
        cpu, wait, threads = usage.processor()
        now = time.monotonic_ns()
        answer: dict[str, Any] = {
            "cpu_us": cpu + self.cpu_us,
            "wait_us": wait,
            "threads": threads,
            "at_ns": now,
        }
        if fields["since_ns"]:
            answer["young"] = usage.beside(self.bot or 0, (now - fields["since_ns"]) // 1000)
        if self.ended is not None:
            answer |= self.ended | {"memory": self.out_of_memory()}
        wire.send(self.sock, answer)

    def out_of_memory(self) -> bool:
        self._drain_error()
        return self.overfull or complains(self.stderr) or self.setup.oom_kills() > 0

    def _kill(self, _: dict[str, Any], __: bytes, ___: list[int]) -> None:
        self.kill_all()
        wire.send(self.sock, {})

    # The bot once for each move

    def _run(self, fields: dict[str, Any], data: bytes, _: list[int]) -> None:
        args = list(fields["args"])
        try:
            self._work_folder()
            if fields["file"]:
                args.insert(0, GAME_FILE)
                self._write_game_file(data)
            started = time.monotonic_ns()
            pid = bots.start(self.setup, args, (self.null, self.output_out, self.error_out), self.uid)
        except OSError as error:
            wire.send(
                self.sock, {"failed": ["crash", why_not_started(self.setup.command, error)], "exit": -1}
            )
            return
        output = Kept(self.setup.output)
        most = self.setup.output - self.written
        end = self.attend(pid, started, fields["limit_us"], fields["cap_us"], output, most)
        self.written += output.total
        file = self._read_game_file() if fields["file"] else None
        text = output.text() if output.total <= most else b""
        end["stdout"] = len(text)
        end["file"] = None if file is None else len(file)
        wire.send(self.sock, end, text + (file or b""))

    def attend(
        self, pid: int, started: int, limit_us: int, cap_us: int, output: Kept, most: int | None = None
    ) -> dict[str, Any]:
        """See a process through to its end or its limit, collecting its output (at most `most` bytes).

        `started`: nanoseconds. Kills what it leaves behind. Answers exit, failed, wall_us, cpu_us, wait_us.
        """
        pidfd = os.pidfd_open(pid)
        self.poll.register(self.output_in, select.POLLIN)
        self.poll.register(pidfd, select.POLLIN)
        failed: list[str] | None = None
        check_us = limit_us  # when to look at how much has been used
        wait_us = 0
        ended = False
        while not ended and failed is None:
            left_ms = (check_us - (time.monotonic_ns() - started) // 1000) / 1000
            watch = self._watch_ms()
            ready = self.poll.poll(max(0.0, left_ms if watch is None else min(watch, left_ms)))
            wall_us = (time.monotonic_ns() - started) // 1000
            for fd, _ in ready:
                if fd == pidfd:
                    ended = True
                elif fd == self.output_in:
                    drain(self.output_in, output, 1 << 20)
                elif fd == self.error_in:
                    self._drain_error()
                else:
                    raise wire.Closed("the referee has gone")
            if most is not None and output.total > most:
                failed = self._flooded()
            self._watch_memory()
            if not ended and wall_us >= check_us:
                cpu, waited, _ = usage.processor()
                charged = max(wall_us - waited, cpu)
                if charged >= limit_us or wall_us >= cap_us:
                    failed = ["timeout", f"did not end within {limit_us / 1e6:g} s"]
                check_us = min(cap_us, wall_us + max(limit_us - charged, 1000))
        wait_us = usage.schedstat(f"/proc/{pid}")[1] if ended else usage.processor()[1]
        if not ended:
            self.kill_all(reap=False)
        _, status, used = os.wait4(pid, 0)
        self.kill_all()
        self.poll.unregister(self.output_in)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        drain(self.output_in, output, 1 << 20)
        self._drain_error()
        if failed is None and most is not None and output.total > most:
            failed = self._flooded()
        cpu_us = processor_us(used)
        self.cpu_us += cpu_us
        code = os.waitstatus_to_exitcode(status)
        if failed is None and code != 0:
            failed = ["memory" if self.out_of_memory() else "crash", ""]
        return {"exit": code, "failed": failed, "wall_us": wall_us, "cpu_us": cpu_us, "wait_us": wait_us}

    def _flooded(self) -> list[str]:
        return ["flood", f"wrote more than {self.setup.output >> 10} KiB to its standard output"]

    def _work_folder(self) -> None:
        """Stand in the work folder; a bot that removed it gets an empty one."""
        with room.acting(self.uid):
            try:
                os.chdir(WORK)
            except OSError:
                os.makedirs(WORK, 0o700, exist_ok=True)
                os.chdir(WORK)

    def _write_game_file(self, data: bytes) -> None:
        """Put the game's file in place, whatever the bot has made of the path. Raises OSError."""
        with room.acting(self.uid):
            try:
                fd = os.open(GAME_FILE, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                if not (stat.S_ISREG(os.fstat(fd).st_mode) and os.fstat(fd).st_nlink == 1):
                    os.close(fd)
                    raise OSError(errno.EEXIST, "not the file that the game made")
            except OSError:
                self._clear_game_path()
                fd = os.open(GAME_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                os.ftruncate(fd, 0)
                while data:
                    data = data[os.write(fd, data) :]
            finally:
                os.close(fd)

    def _clear_game_path(self) -> None:
        if os.path.lexists(GAME):
            if os.path.isdir(GAME) and not os.path.islink(GAME) and not os.path.lexists(GAME_FILE):
                return
            os.rename(GAME, f"/box/.aside-{time.monotonic_ns()}")
        os.mkdir(GAME, 0o700)

    def _read_game_file(self) -> bytes | None:
        """The game's file; None if it is gone, no longer a regular file, or absurdly long."""
        try:
            with room.acting(self.uid):
                fd = os.open(GAME_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode) or info.st_size > _MOST_FILE:
                return None
            parts = []
            while part := os.read(fd, 1 << 20):
                parts.append(part)
            return b"".join(parts)
        finally:
            os.close(fd)

    # The end

    def kill_all(self, reap: bool = True) -> None:
        """End every process of the session. PID 1 and the caller are spared by kill(2) itself."""
        while True:
            try:  # noqa: SIM105 (contextlib is not loaded here)
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if not reap or not self._reap():
                return

    def _reap(self) -> bool:
        """Wait for all children but the bot of the match; True if there were any."""
        if self.bot is not None and self.ended is None:
            self._bot_ended()
        any_ = False
        while True:
            try:
                _, _, used = os.wait4(-1, 0)
            except ChildProcessError:
                return any_
            self.cpu_us += processor_us(used)
            any_ = True

    def _end(self) -> None:
        self.kill_all()
        self._drain_error()
        clean = room.wipe(self.uid)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        answer = {"cpu_us": self.cpu_us, "peak_kib": peak, "clean": clean}
        answer["memory"] = self.setup.oom_kills() > 0
        wire.send(self.sock, answer, self.stderr.text())


def pipe() -> tuple[int, int]:
    """A pipe whose reading end does not block and whose other end a bot of any uid may open by path."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.fchmod(writing, 0o666)
    return reading, writing


def drain(fd: int, into: Kept, most: int) -> None:
    """Read what is there, `most` bytes at a time at most: somebody may be filling it all the while."""
    while most > 0:
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return
        if not data:
            return
        into.add(data)
        most -= len(data)
        if len(data) < 4096:
            return


def processor_us(used: Any) -> int:
    return int((used.ru_utime + used.ru_stime) * 1e6)


def why_not_started(command: list[str], error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "filled its work folder: the game's file could not be written"
    return f"could not be started ({' '.join(command)[:200]}): {error.strerror}"
