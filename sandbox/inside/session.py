"""One session, as the agent serves it: starts a bot or what runs programs, watches it, and ends it.

Theory of operation.

Processes:
- The agent, which calls this and never blocks for long.
- What is started for the session, in its workspace (workspace.py) and process tree (process_tree.py): a
  Python bot, forked from the warm interpreter; a program, spawned; or a spawner, forked (spawner.py), where
  Python bots are forked for each move, or something is built.
- Where bots are programs that are run for each move, the agent spawns them itself (programs.py).
- A short-lived child (a measurer) for everything that is read about processes in /proc. It reads and answers.

Pipes:
- The session's socket. Its requests:

    start   (on the control socket) the bot, on pipes whose ends come along; answers its /proc/<pid>/schedstat
    runs    (on the control socket) the same for what runs programs
    status  whether the bot or the spawner has ended, and how; what bots have used so far
    stop    ends the program that is being run, and everything it has started
    pause   stops every process of the session, or lets all continue
    kill    ends every process of the session
    end     the same; wipes the workspace and reports

- Standard input, output and error of bots are pipes of the worker.

Trust:
- Nothing that a bot can influence may get into the memory of an agent from which bots are forked. That is why
  the agent never reads names and the like from /proc itself, and reads no pipe of a bot.
- An agent that spawns programs never forks, except for the child that reads /proc. So no bot ever gets a copy
  of its memory, and the most expensive part of a short match, a fork of the interpreter, is saved.

Failure:
- A bot, or a run, that leaves no process or memory free for the child that reads /proc is killed.
- Where the kernel does not count the memory of all processes together, such a child adds it up twenty times a
  second, and the bots are killed if it is too much.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time

from . import bots, kernel, spawner, usage, wire, workspace
from .process_tree import EndedFromOutside, NamespaceTree, UidTree, ends_within
from .programs import Programs

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    import _socket
    import select
    from collections.abc import Callable
    from typing import Any, NoReturn

    from .process_tree import AgentNamespaces, Tree
    from .setup import Setup

    ExecInChild = Callable[[Setup, int | None, list[int], int], NoReturn]

_WATCH_MS = 50


class Session:
    def __init__(
        self, sock: _socket.socket, setup: Setup, namespaces: AgentNamespaces | None, poll: select.poll
    ) -> None:
        """`namespaces`: None if sessions are separated by uid."""
        self.sock = sock
        self.setup = setup
        self.watch_ms = None if setup.memory_counted else _WATCH_MS  # how often to call watch_memory()
        self.programs: Programs | None = None  # if the agent itself runs them
        self.tree: Tree = (
            UidTree(setup, self._reaped)
            if namespaces is None
            else NamespaceTree(setup, self._reaped, namespaces)
        )
        self._poll = poll
        self._unattributed_cpu = usage.UnattributedCpu(setup)
        self._sampling = usage.Sampling(setup)
        self._measurers_us = 0  # CPU time of children of our own that have read /proc
        self._bot = 0  # pid, if the session has one bot
        self._spawner = 0  # pid, if the session has a spawner
        self._exit: int | None = None  # of the bot or the spawner
        self._over_memory = False  # killed because its processes together used too much memory

    def start(self, operation: str, fds: list[int]) -> None:
        """Start what was asked for, on these descriptors: see bots, spawner.serve and Programs."""
        self.tree.enter()
        try:
            if operation == "runs" and self.setup.spawned_by_agent:
                self._begin_programs(fds)
            elif operation == "runs":
                self._spawner = self._fork(spawner.serve, fds)
            elif self.setup.spawned_by_agent:
                self._spawn_bot(fds)
            else:
                self._bot = self._fork(bots.exec_bot, fds)
        finally:
            for fd in fds:
                os.close(fd)

    def _begin_programs(self, fds: list[int]) -> None:
        """The agent stays inside the session until its end: that is where it starts programs."""
        sock, stdout, stderr = map(os.dup, fds)
        self.programs = Programs(self.setup, self.tree, sock, stdout, stderr, self._poll)
        self._send_counters("self")

    def _spawn_bot(self, fds: list[int]) -> None:
        try:
            self._bot = bots.spawn_confined(self.setup, self.tree.uid, fds, [])
        except OSError as error:
            if self.tree.ended_from_outside():
                raise EndedFromOutside from error
            self.tree.leave()
            wire.send(self.sock, self._problem(f"exec {error.strerror}"))
            return
        self.tree.leave()
        self._send_counters(str(self._bot))

    def _fork(self, exec_in_child: ExecInChild, fds: list[int]) -> int:
        reading, writing = os.pipe()
        workspace.prefer_for_oom_kill(self.setup, True)
        child = os.fork()
        if child == 0:
            exec_in_child(self.setup, self.tree.uid, fds, writing)
        workspace.prefer_for_oom_kill(self.setup, False)
        os.close(writing)
        self.tree.leave()
        problem = os.read(reading, 4096)  # nothing: the bot's own code begins, or the spawner is ready
        os.close(reading)
        if problem:
            wire.send(self.sock, self._problem(problem.decode("utf-8", "replace")))
        else:
            self._send_counters(str(child))
        return child

    def _send_counters(self, pid: str) -> None:
        """Answer with a descriptor of the counters of the bot, or of what runs programs."""
        counters = os.open(f"{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.setup.proc)
        wire.send(self.sock, {}, fds=(counters,))
        os.close(counters)

    def _problem(self, report: str) -> dict[str, str]:
        kind, _, detail = report.partition(" ")
        if kind == "exec":
            return {"refused": f"could not be started ({' '.join(self.setup.command)[:200]}): {detail}"}
        return {"broken": f"a session could not be prepared: {detail}"}

    def serve(self) -> bool:
        """Answer one request; False if it was the last. Raises wire.Closed."""
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
        """Send what bots have used so far; first waits up to `wait_ms` for the end of the bot or spawner.

        The fields are those of sandbox.boxes.agent_messages.Status.
        """
        if self.programs is not None:
            self.programs.report_if_ended()
        elif (child := self._bot or self._spawner) and self._exit is None and ends_within(child, wait_ms):
            self.tree.reap(child)
        ours_us = usage.own_us() + self._measurers_us
        self._sampling.begin()
        measurer = self._fork_measurer()
        if measurer == 0:
            try:
                wire.send(self.sock, self._measure(ours_us))
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(0)
        self._measurers_us += kernel.reap(measurer)[2]
        self._sampling.end()

    def _fork_measurer(self) -> int:
        """fork(). If bots leave no process or memory free for that, they are killed."""
        try:
            return self.tree.fork()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ENOMEM):
                raise
            if self.programs is not None:
                self._stop()
            else:
                self.kill()
            return self.tree.fork()

    def _measure(self, ours_us: int) -> dict[str, Any]:
        """Called in a child. `ours_us`: CPU time that the box counts, but that is not the bots'."""
        usage.own_pids |= self._own_pids()
        # Read the clocks first: if this process is kept waiting afterwards, that is not the bot's time.
        at_us, now = usage.clock_us(), time.monotonic_ns()
        cpu_us, threads = usage.cpu_and_threads(at_us)
        # A program that has ended counts for the spawner, which reaps it. If the spawner were read first, a
        # program that ends in between would be missed.
        spawner_thread = usage.thread(self._spawner, at_us) if self._spawner else []
        ended_us = usage.with_children_us(self._spawner) if self._spawner else self.tree.cpu_us
        seen_us = cpu_us + ended_us
        if not self._spawner and self.programs is None:
            cpu_us = seen_us
        answer: dict[str, Any] = {
            "cpu_us": cpu_us,
            "unattributed_us": self._unattributed_cpu.since(seen_us, ours_us + usage.own_us()),
            "ours_us": ours_us + usage.own_us(),
            "sampling_us": self._sampling.us(),
            "threads": threads,
            "spawner": spawner_thread,
            "main": self._bot or self._spawner,
            "at_ns": now,
            "memory": self._over_memory or self.setup.oom_kills() > 0,
        }
        if self._exit is not None:
            answer["exit"] = self._exit
        return answer

    def watch_memory(self) -> None:
        """Kill the bots if together they use too much memory. Called where the kernel does not limit that."""
        if self._exit is None and self._too_much_memory():
            self._over_memory = True
            if self._bot:
                self.kill()
            else:
                self._stop()

    def _too_much_memory(self) -> bool:
        self._sampling.begin()
        measurer = self._fork_measurer()
        if measurer == 0:
            try:
                usage.own_pids |= self._own_pids()
                os._exit(usage.more_memory_than(self.setup.memory))
            finally:
                os._exit(0)
        _, status, cpu_us, _ = kernel.reap(measurer)
        self._measurers_us += cpu_us
        self._sampling.end()
        return status != 0

    def _own_pids(self) -> set[str]:
        return self.tree.own_pids | {str(self._spawner)}

    def ended_from_outside(self) -> bool:
        """Whether something outside the box has ended the session's namespace, and the bot with it."""
        exit_ = self._exit if self.programs is None else self.programs.exit
        return exit_ == -signal.SIGKILL and self.tree.ended_from_outside()

    def _stop(self) -> None:
        """End what is being run. A bot may have stopped the spawner, too."""
        if self.programs is not None:
            self.programs.stop()
        elif (child := self._bot or self._spawner) and self._exit is None:
            os.kill(child, signal.SIGCONT)
            os.kill(child, spawner.STOP)

    def _pause(self, yes: bool) -> None:
        """Stop, or continue, all processes except the agent, even PID 1 of a namespace, which only waits."""
        try:  # noqa: SIM105 (contextlib is not loaded here)
            os.kill(-1, signal.SIGSTOP if yes else signal.SIGCONT)
        except ProcessLookupError:
            pass

    def kill(self) -> None:
        """End every process of the session."""
        self.tree.kill()
        if self.programs is not None:
            self.programs.close()
            self.programs = None
            self.tree.leave()

    def _reaped(self, pid: int, status: int, cpu_us: int) -> None:
        """A child of the session has ended."""
        if pid == (self._bot or self._spawner):
            self._exit = os.waitstatus_to_exitcode(status)
        elif self.programs is not None:
            self.programs.reaped(pid, status, cpu_us)

    def abandon(self) -> None:
        """End the session without a report, because the worker has given it up."""
        self.kill()
        self.tree.leave()

    def _end(self) -> None:
        self.abandon()
        clean = workspace.wipe(self.tree.uid)
        memory = self.setup.oom_kills() > 0
        report = {"cpu_us": self.tree.cpu_us, "peak_kib": self.tree.peak_kib, "clean": clean}
        wire.send(self.sock, report | {"memory": memory})
