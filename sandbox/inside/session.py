"""One session: its bot, or what runs its programs, started, looked after and ended by the agent itself.

Theory of operation. The agent makes the session's room (workspace.py) and starts in there what was asked for:
a Python bot, forked from the warm interpreter; a program, spawned; or a spawner, forked (spawner.py), where
bots are forked for each move, or something is built. A program that is run for each move the agent starts
itself (programs.py). It never forks for that: nobody ever gets a copy of its memory, and a fork of the
interpreter is what costs most in a short match.

With namespaces PID 1 of the session's is a process that only waits, in the agent's memory (init.py); the
bot is its neighbour, and a child of the agent, which is outside and cannot be signalled, traced or seen. When
PID 1 is killed the kernel ends everything in there. With uids the agent, PID 1 of the container, ends every
other process of it.

Nothing that a bot has any say in may get into the memory of an agent from which bots are forked. So pipes are
the worker's, and whatever is to be read about processes in /proc (names, say) is read, and answered, by a
child forked for that:

    start   the bot, on pipes whose ends came with the message; answers its counters (/proc/.../schedstat)
    runs    the same, but what runs the programs is what is started, and what is answered for
    status  has the bot, or the spawner, ended, and how; what have bots used so far
    stop    what has been run, and all that came of it
    pause   stops every process of the session for a while, or lets all go on
    kill    every process of the session
    end     kill everything, wipe, report

If memory is not counted by the kernel a child adds up the bots' memory twenty times a second; if it is too
much they are killed.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import time

from . import bots, kernel, spawner, uids, usage, wire, workspace
from .init import Init
from .programs import Programs

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable
    from typing import Any, NoReturn

    from .setup import Setup

_WATCH_MS = 50
_MOMENT_MS = 50  # for a namespace to end


class EndedFromOutside(RuntimeError):
    """The bots' namespace was ended, and the bot with it: no process in it can do that."""

    def __init__(self) -> None:
        super().__init__("the namespace of a session was ended from outside")


class AgentNamespaces:
    """Where the agent itself is, and what gets it in and out of namespaces if sessions have their own."""

    def __init__(self, setup: Setup) -> None:
        flags = os.O_RDONLY | os.O_CLOEXEC
        self.processes = os.open("/proc/self/ns/pid", flags)
        self.mounts = os.open("/proc/self/ns/mnt", flags)
        self.device = os.fstat(setup.proc).st_dev  # of its own /proc
        self.init = Init(setup.key)


class Session:
    def __init__(
        self, sock: _socket.socket, setup: Setup, outside: AgentNamespaces, poll: select.poll
    ) -> None:
        self.sock = sock
        self.setup = setup
        self.watch_ms = None if setup.memory_counted else _WATCH_MS  # how often to call watch_memory()
        self.uid = uids.random_uid() if setup.uids else None
        self.programs: Programs | None = None
        self.exit: int | None = None  # of what was started
        self.outside = outside
        self._poll = poll
        self._unattributed_cpu = usage.UnattributedCpu(setup)
        self._asked_us = 0  # processor time of our own children that have answered
        self._first = 0  # PID 1 of the bots' namespace, as we see it; 0: none
        self._children = -1  # where its children can be read; -1: nowhere
        self._device = outside.device  # of the /proc that is seen
        self._child = 0  # the bot or the spawner
        self._spawns = False
        self._inside = False
        self._overfull = False  # killed for using too much memory together
        self._cpu_us = 0
        self._peak_kib = 0

    def start(self, operation: str, fds: list[int]) -> None:
        """Start what was asked for on these descriptors: see bots, spawner.serve and Programs."""
        self._spawns = operation == "runs" and not self.setup.direct
        self._enter()
        try:
            if operation == "runs" and self.setup.direct:
                self._begin_programs(fds)
            elif self.setup.direct:
                self._spawn(fds)
            else:
                self._fork(spawner.serve if self._spawns else bots.exec_bot, fds)
        finally:
            for fd in fds:
                os.close(fd)

    def _enter(self) -> None:
        """Into a fresh room: what is started from here on is in there."""
        self._inside = True
        workspace.enter(self.setup, self.uid, building=not self.setup.command)
        if not self.setup.uids:
            self._begin_namespace()

    def _begin_namespace(self) -> None:
        self._first = self.outside.init.begin_pid_namespace(childless=self.setup.direct)
        before, self._device = self._device, os.stat("/proc").st_dev
        if self._device == before:
            raise RuntimeError("a /proc could not be mounted")
        if self.setup.direct:
            self._children = _children(self.setup.proc, self._first)

    def leave(self) -> None:
        """Out again."""
        if self._inside:
            self._inside = False
            workspace.leave(self.setup, self.outside.mounts)
            if not self.setup.uids:
                kernel.enter(self.outside.processes, kernel.CLONE_NEWPID)

    def _begin_programs(self, fds: list[int]) -> None:
        """The agent stays inside until the end of the session: that is where programs are started."""
        sock, stdout, stderr = map(os.dup, fds)
        self.programs = Programs(self, sock, stdout, stderr, self._poll)
        self._answer("self")

    def _spawn(self, fds: list[int]) -> None:
        try:
            self._child = bots.spawn_confined(self.setup, self.uid, fds, [])
        except OSError as error:
            self.check_namespace()
            self.leave()
            wire.send(self.sock, self._problem(f"exec {error.strerror}"))
            return
        self.leave()
        self._answer(str(self._child))

    def _fork(self, become: Callable[[Setup, int | None, list[int], int], NoReturn], fds: list[int]) -> None:
        reading, writing = os.pipe()
        workspace.prefer_for_oom_kill(self.setup, True)
        self._child = os.fork()
        if self._child == 0:
            become(self.setup, self.uid, fds, writing)
        workspace.prefer_for_oom_kill(self.setup, False)
        os.close(writing)
        self.leave()
        problem = os.read(reading, 4096)  # its end: the bot's own code begins, or the spawner is ready
        os.close(reading)
        if problem:
            wire.send(self.sock, self._problem(problem.decode("utf-8", "replace")))
        else:
            self._answer(str(self._child))

    def _answer(self, pid: str) -> None:
        """The counters of a process of ours or the bot's."""
        flags = os.O_RDONLY | os.O_CLOEXEC
        statistics = os.open(f"{pid}/schedstat", flags, dir_fd=self.setup.proc)
        wire.send(self.sock, {}, fds=(statistics,))
        os.close(statistics)

    def _problem(self, report: str) -> dict[str, str]:
        kind, _, words = report.partition(" ")
        if kind == "exec":
            return {"refused": f"could not be started ({' '.join(self.setup.command)[:200]}): {words}"}
        return {"broken": f"a session could not be prepared: {words}"}

    def serve(self) -> bool:
        """Answer one request; False when that was the last. Raises wire.Closed."""
        fields, _, _ = wire.receive(self.sock)
        operation = fields["op"]
        if operation == "status":
            self._status(fields["wait_ms"])
        elif operation == "stop":
            self._stop()
            wire.send(self.sock, {})
        elif operation == "pause":
            self._pause(fields["yes"])
            wire.send(self.sock, {})
        elif operation == "kill":
            self.kill()
            wire.send(self.sock, {})
        elif operation == "end":
            self._end()
        return bool(operation != "end")

    def _status(self, wait_ms: int) -> None:
        """How things are. Waits `wait_ms` for the end of the bot or spawner, if it has not ended yet.

        Answers what all threads of bots have used (`cpu_us`), what was used and shows in none of them
        (`unattributed_us`), when that was (`at_ns`), what is known of each thread (`threads`) and of the
        spawner (`starter`), and which of the threads is the bot's first (`main`).
        """
        if self.programs is not None:
            self.programs.look()
        else:
            self._await_end(wait_ms)
        ours_us = usage.own_us() + self._asked_us
        child = self._fork_measurer()
        if child == 0:
            try:
                wire.send(self.sock, self._measured(ours_us))
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(0)
        self._asked_us += kernel.reap(child)[2]

    def _fork_measurer(self) -> int:
        """fork(); a bot, or a run, that leaves no process or no memory free for it is ended."""
        try:
            return self._fork_outside()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ENOMEM):
                raise
            if self.programs is not None:
                self._stop()
            else:
                self.kill()
            return self._fork_outside()

    def _fork_outside(self) -> int:
        """fork(), never into the bots' namespaces: there they could kill or stop whoever measures them."""
        if not self._inside or self.setup.uids:
            return os.fork()
        inside = os.open("self/ns/pid_for_children", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.setup.proc)
        kernel.enter(self.outside.processes, kernel.CLONE_NEWPID)
        try:
            child = os.fork()
        finally:
            kernel.enter(inside, kernel.CLONE_NEWPID)
            os.close(inside)
        if child == 0:
            workspace.leave(self.setup, self.outside.mounts)
        return child

    def _await_end(self, wait_ms: int) -> None:
        if self._child and self.exit is None and _ends_within(self._child, wait_ms):
            self.reap(self._child)

    def _measured(self, ours_us: int) -> dict[str, Any]:
        usage.own_pids |= self._own_pids()
        now = time.monotonic_ns()  # before: if we are held up meanwhile, that is not the bot's time
        cpu, threads = usage.processor()
        starter: list[int] = []
        if self._spawns:
            # It waits for the bot's end: looked at before, that end could be missed in both.
            starter = usage.thread(self._child)
            before = usage.with_children_us(self._child)  # itself, and the runs that have ended
        else:
            before = self._cpu_us  # what has ended
            if self.programs is None:
                cpu, before = cpu + before, 0
        answer: dict[str, Any] = {
            "cpu_us": cpu,
            "unattributed_us": self._unattributed_cpu.since(cpu + before, ours_us + usage.own_us()),
            "threads": threads,
            "starter": starter,
            "main": self._child,
            "at_ns": now,
            "memory": self._overfull or self.setup.oom_kills() > 0,
        }
        if self.exit is not None:
            answer["exit"] = self.exit
        return answer

    def watch_memory(self) -> None:
        """Where the kernel does not: end the bots if they use too much memory together."""
        if self.exit is None and self._too_much():
            self._overfull = True
            if self._child and not self._spawns:
                self.kill()
            else:
                self._stop()

    def _too_much(self) -> bool:
        child = self._fork_measurer()
        if child == 0:
            try:
                usage.own_pids |= self._own_pids()
                os._exit(usage.more_memory_than(self.setup.memory))
            finally:
                os._exit(0)
        return os.waitpid(child, 0)[1] != 0

    def _own_pids(self) -> set[str]:
        """Who is ours, by their numbers in the agent's namespace."""
        return {str(self._first), str(self._child)} if self._spawns else {str(self._first)}

    def ended_from_outside(self) -> bool:
        """Whether somebody else than we has ended the bots' namespace, and the bot with it; no bot can."""
        exit_ = self.exit if self.programs is None else self.programs.exit
        return self._first > 0 and exit_ == -signal.SIGKILL and _ends_within(self._first, _MOMENT_MS)

    def check_namespace(self) -> None:
        """Where nothing could be started, or a program was killed. Raises EndedFromOutside."""
        if self._first > 0 and _ends_within(self._first, _MOMENT_MS):
            raise EndedFromOutside

    def any_left(self) -> bool:
        """Whether there are processes of bots, once the program that was run has been reaped."""
        if self.setup.uids:
            return not kernel.childless()
        return self._children < 0 or bool(os.pread(self._children, 32, 0))

    def end_all(self) -> None:
        """Of a run; others are to follow."""
        if self.setup.uids:
            self._kill_all_others()
            return
        self._kill_namespace()
        kernel.enter(self.outside.processes, kernel.CLONE_NEWPID)
        self._begin_namespace()

    def _stop(self) -> None:
        """End what has been run. A bot may have stopped the spawner, too."""
        if self.programs is not None:
            self.programs.stop()
        elif self._child and self.exit is None:
            os.kill(self._child, signal.SIGCONT)
            os.kill(self._child, spawner.STOP)

    def _pause(self, yes: bool) -> None:
        """All processes but the agent: PID 1 of a session's namespace, too, which only waits anyway."""
        try:  # noqa: SIM105 (contextlib is not loaded here)
            os.kill(-1, signal.SIGSTOP if yes else signal.SIGCONT)
        except ProcessLookupError:
            pass

    def kill(self) -> None:
        """End every process of the session."""
        if self.setup.uids:
            self._kill_all_others()
        else:
            self._kill_namespace()
        if self.programs is not None:
            self.programs.close()
            self.programs = None
            self.leave()

    def _kill_namespace(self) -> None:
        if self._first:
            os.kill(self._first, signal.SIGKILL)
            while self.reap(-1) != self._first:  # which ends when nobody is left in the namespace
                pass
            self._first = 0
        if self._children >= 0:
            os.close(self._children)
            self._children = -1

    def _kill_all_others(self) -> None:
        """End and reap every process but PID 1, which is the caller."""
        while True:
            try:  # noqa: SIM105 (contextlib is not loaded here)
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass
            try:
                self.reap(-1)
            except ChildProcessError:
                return

    def reap(self, which: int) -> int:
        """Wait for the end of a child, the bot or the spawner mostly, and take note of it: its pid."""
        pid, status, cpu_us, kib = kernel.reap(which)
        if pid != self._first:
            self._cpu_us += cpu_us
            self._peak_kib = max(self._peak_kib, kib)
        if pid == self._child:
            self.exit = os.waitstatus_to_exitcode(status)
        elif self.programs is not None:
            self.programs.reaped(pid, status, cpu_us)
        return pid

    def _end(self) -> None:
        self.kill()
        self.leave()
        clean = workspace.wipe(self.uid)
        answer = {"cpu_us": self._cpu_us, "peak_kib": self._peak_kib, "clean": clean}
        answer["memory"] = self.setup.oom_kills() > 0
        wire.send(self.sock, answer)


def _children(proc: int, pid: int) -> int:
    try:
        return os.open(f"{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:  # a kernel without that
        return -1


def _ends_within(pid: int, ms: int) -> bool:
    pidfd = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    ended = bool(poll.poll(ms))
    os.close(pidfd)
    return ended
