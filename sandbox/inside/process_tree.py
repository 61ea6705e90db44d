"""The processes of one session: started inside its workspace, counted, and killed to the last one.

Theory of operation.

Processes:
- `NamespaceTree` (bubblewrap): a session has a pid namespace of its own. Its PID 1 only waits (init.py). The
  bot is its neighbor and a child of the agent, which stays outside.
- `UidTree` (Docker): a session has a uid of its own, and the agent is PID 1 of the container.

Pipes:
- None.

Trust:
- In a namespace no process can signal, trace or see the agent, and none can kill PID 1 of the namespace.
- A process of the session's uid can do nothing to the agent, which runs as root.
- A process that reads about others is forked outside the namespace: inside, bots could kill or stop it.

Failure:
- When PID 1 of a namespace is killed the kernel ends every process in it. No bot can do that, so if it
  happens the session was ended from outside.
- A process whose parent ends becomes a child of PID 1, so none escapes: with namespaces all end with PID 1;
  with uids the agent kills and reaps until it has no child left.
"""

from __future__ import annotations

import os
import select
import signal

from . import kernel, uids, workspace
from .init import Init

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from collections.abc import Callable

    from .setup import Setup

    Reaped = Callable[[int, int, int], None]  # pid, status as wait(2) has it, CPU time in microseconds

_NAMESPACE_END_MS = 50
_PF_EXITING = 0x4  # a flag of the kernel (linux/sched.h)


class EndedFromOutside(RuntimeError):
    """The session's namespace was ended, and the bot with it. No process in it can do that."""

    def __init__(self) -> None:
        super().__init__("the namespace of a session was ended from outside")


class AgentNamespaces:
    """The namespaces of the agent itself, and what makes those of sessions."""

    def __init__(self, setup: Setup) -> None:
        flags = os.O_RDONLY | os.O_CLOEXEC
        self.processes = os.open("/proc/self/ns/pid", flags)
        self.mounts = os.open("/proc/self/ns/mnt", flags)
        self.device = os.fstat(setup.proc).st_dev  # of the agent's own /proc
        self.init = Init(setup.key)


class ProcessTree:
    """What both kinds of tree share: the children of the agent, and what they have used."""

    uid: int | None = None  # of the session; None: the agent's own, in a namespace
    init_pid = 0  # PID 1 of the session's namespace, as the agent sees it; 0: there is none

    def __init__(self, setup: Setup, reaped: Reaped) -> None:
        self.setup = setup
        self.inside = False  # what the agent starts now is part of the session
        self.cpu_us = 0  # of all that have been reaped
        self.peak_kib = 0
        self._reaped = reaped

    def reap(self, pid: int) -> int:
        """Wait for the end of a child, -1: of any; its pid. Raises ChildProcessError if there is none."""
        pid, status, cpu_us, kib = kernel.reap(pid)
        if pid != self.init_pid:  # PID 1 shares the memory of the agent
            self.cpu_us += cpu_us
            self.peak_kib = max(self.peak_kib, kib)
        self._reaped(pid, status, cpu_us)
        return pid


class UidTree(ProcessTree):
    def __init__(self, setup: Setup, reaped: Reaped) -> None:
        super().__init__(setup, reaped)
        self.uid: int = uids.random_uid()
        self.own_pids: set[str] = set()

    def enter(self) -> None:
        """Make the session's workspace, and start everything in it from here on."""
        self.inside = True
        workspace.enter(self.setup, self.uid, building=not self.setup.command)

    def leave(self) -> None:
        if self.inside:
            self.inside = False
            os.chdir("/")

    def fork(self) -> int:
        """fork() a process of our own that bots cannot reach."""
        return os.fork()

    def kill(self) -> None:
        """End and reap every process except the agent."""
        while True:
            try:  # noqa: SIM105 (contextlib is not loaded here)
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass
            try:
                self.reap(-1)
            except ChildProcessError:
                return

    def kill_run(self) -> None:
        """End every process of one run; others will follow."""
        self.kill()

    def any_left(self) -> bool:
        """Whether processes of bots are left when the program that was run has been reaped."""
        return not kernel.has_no_children()

    def ended_from_outside(self) -> bool:
        return False


class NamespaceTree(ProcessTree):
    def __init__(self, setup: Setup, reaped: Reaped, agent: AgentNamespaces) -> None:
        super().__init__(setup, reaped)
        self._agent = agent
        self._children = -1  # a descriptor of the list of its children; -1: none
        self._device = agent.device  # of the /proc that is mounted

    @property
    def own_pids(self) -> set[str]:
        """Processes of our own in the namespace, by their numbers in the agent's."""
        return {str(self.init_pid)}

    def enter(self) -> None:
        """Make the session's workspace and namespace, and start everything in them from here on."""
        self.inside = True
        workspace.enter(self.setup, None, building=not self.setup.command)
        self._begin_namespace()

    def _begin_namespace(self) -> None:
        lists_children = self.setup.spawned_by_agent
        self.init_pid = self._agent.init.begin_pid_namespace(childless=lists_children)
        before, self._device = self._device, os.stat("/proc").st_dev
        if self._device == before:
            raise RuntimeError("a /proc could not be mounted")
        if lists_children:
            self._children = _open_children(self.setup.proc, self.init_pid)

    def leave(self) -> None:
        if self.inside:
            self.inside = False
            kernel.enter(self._agent.mounts, kernel.CLONE_NEWNS)
            kernel.enter(self._agent.processes, kernel.CLONE_NEWPID)

    def fork(self) -> int:
        """fork() a process of our own outside the bots' namespace, where they cannot reach it."""
        if not self.inside:
            return os.fork()
        inside = os.open("self/ns/pid_for_children", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.setup.proc)
        kernel.enter(self._agent.processes, kernel.CLONE_NEWPID)
        try:
            child = os.fork()
        finally:
            kernel.enter(inside, kernel.CLONE_NEWPID)
            os.close(inside)
        if child == 0:
            kernel.enter(self._agent.mounts, kernel.CLONE_NEWNS)
        return child

    def kill(self) -> None:
        """End the namespace, and with it every process of the session."""
        if self.init_pid:
            os.kill(self.init_pid, signal.SIGKILL)
            while self.reap(-1) != self.init_pid:  # it ends when no process is left in the namespace
                pass
            self.init_pid = 0
        if self._children >= 0:
            os.close(self._children)
            self._children = -1

    def kill_run(self) -> None:
        """End every process of one run; others will follow, in a new namespace."""
        self.kill()
        kernel.enter(self._agent.processes, kernel.CLONE_NEWPID)
        self._begin_namespace()

    def any_left(self) -> bool:
        """Whether processes of bots are left when the program that was run has been reaped."""
        return self._children < 0 or bool(os.pread(self._children, 32, 0))

    def ended_from_outside(self) -> bool:
        """Whether PID 1 ends, or has ended, although it was not killed here.

        On a busy host it may end long after the bot that was killed with it.
        """
        return self.init_pid > 0 and (
            ends_within(self.init_pid, _NAMESPACE_END_MS) or _is_ending(self.setup.proc, self.init_pid)
        )


if TYPE_CHECKING:
    Tree = UidTree | NamespaceTree


def ends_within(pid: int, ms: int) -> bool:
    """Whether a child ends, or has ended, within so many milliseconds."""
    pidfd = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    ended = bool(poll.poll(ms))
    os.close(pidfd)
    return ended


def _is_ending(proc: int, pid: int) -> bool:
    """Whether a process has been killed, although it may not have ended yet. Source: proc_pid_stat(5)."""
    stat = os.open(f"{pid}/stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    fields = os.read(stat, 1024).rpartition(b")")[2].split()  # from the third on
    os.close(stat)
    flags, pending = int(fields[9 - 3]), int(fields[31 - 3])
    return bool(flags & _PF_EXITING or pending & 1 << (signal.SIGKILL - 1))


def _open_children(proc: int, pid: int) -> int:
    try:
        return os.open(f"{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:  # a kernel that does not list children
        return -1
