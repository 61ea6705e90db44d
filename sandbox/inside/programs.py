"""Programs that the agent itself starts for each move, as the spawner does for Python bots.

Theory of operation.

Processes:
- The agent, which calls this. It never waits: the end of a program is one more event of its poll loop.
- One program at a time, spawned in the session's workspace.

Pipes:
- A socket of the session's own, to the worker. Requests and reports are those of the spawner (spawner.py). A
  report that the worker does not take at once is sent when it does.
- The programs' standard output and error are pipes of the worker, which also watches the time.

Trust:
- What a bot wrote into the game's file does get into the agent's memory. But no bot ever sees that memory:
  this agent forks only to read /proc, and a spawned program has memory of its own.

Failure:
- No process of a run is left when its report is sent. A process whose parent ends becomes a child of PID 1,
  which is the waiting process of the session's namespace, or the agent in a container. If PID 1 has such a
  child, all processes of the run are killed.
- If the namespace itself was ended, the session was ended from outside, and no bot is blamed.
"""

from __future__ import annotations

import _socket
import os
import select

from . import bots, wire, workspace
from .game_file import GameFile
from .process_tree import EndedFromOutside
from .setup import GAME_FILE

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from .process_tree import Tree
    from .setup import Setup

_SIGKILL = 9
_READ = os.O_RDONLY | os.O_CLOEXEC


class Programs:
    def __init__(
        self, setup: Setup, tree: Tree, sock: int, stdout: int, stderr: int, poll: select.poll
    ) -> None:
        """Takes ownership of the descriptors."""
        self.exit: int | None = None  # of the last program
        self._setup = setup
        self._tree = tree
        self._sock = _socket.socket(fileno=sock)
        self._streams = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC), stdout, stderr
        self._poll = poll
        self._game = GameFile()
        self._has_file = False
        self._pid = self._pidfd = self._counters = -1
        self._unsent: list[bytes] = []
        self._listening = True
        poll.register(self._sock, select.POLLIN)

    def close(self) -> None:
        """Close the descriptors. Call when every process of the session has been ended."""
        if self._pid >= 0:
            self._forget()
        if self._listening:
            self._poll.unregister(self._sock)
        self._sock.close()
        self._game.close()
        for fd in self._streams:
            os.close(fd)

    def serve(self, fd: int) -> None:
        """An event of the poll loop: the program has ended, a request has come, or a report can be sent."""
        if fd == self._pidfd:
            self._end()
        elif fd != self._sock.fileno():
            return  # an event of a program that has been reported meanwhile
        elif self._unsent:
            self._send()
            if not self._unsent:
                self._poll.modify(self._sock, select.POLLIN)
        else:
            self._begin()

    def report_if_ended(self) -> None:
        """Report the program if it has ended."""
        if self._pid >= 0 and _readable(self._pidfd):
            self._end()

    def stop(self) -> None:
        """End the program and everything that it has started."""
        if self._pid >= 0:
            self._end(stopped=True)

    def reaped(self, pid: int, status: int, cpu_us: int) -> None:
        """A child of the session has ended."""
        if pid == self._pid:
            self._status, self._cpu_us = status, cpu_us
            self.exit = os.waitstatus_to_exitcode(status)

    def _begin(self) -> None:
        try:
            head, data = wire.receive_bytes(self._sock.fileno())
        except wire.Closed:
            self._poll.unregister(self._sock)  # the worker has given the session up
            self._listening = False
            return
        (self._has_file,) = wire.RUN.unpack_from(head)
        arguments = bots.split_arguments(head[wire.RUN.size :])
        uid = self._tree.uid
        try:
            with workspace.as_uid(uid):
                workspace.enter_work_dir()
                if self._has_file:
                    self._game.write(data)
                    arguments.insert(0, GAME_FILE)
            self._pid = bots.spawn_confined(self._setup, uid, self._streams, arguments)
        except OSError as error:
            self._check_namespace()
            self._report(wire.REPORT.pack(-(error.errno or 1), 0, 0, False))
            return
        self._pidfd = os.pidfd_open(self._pid)
        self._counters = os.open(f"{self._pid}/schedstat", _READ, dir_fd=self._setup.proc)
        self._poll.register(self._pidfd, select.POLLIN)

    def _end(self, stopped: bool = False) -> None:
        """End the run of a program that has ended, or stop it; then report it."""
        waited_us = int(os.pread(self._counters, 100, 0).split()[1]) // 1000
        if not stopped:
            self._tree.reap(self._pid)
        if stopped or self._tree.any_left():
            if not stopped and self.exit == -_SIGKILL:
                self._check_namespace()  # which kill_run() replaces
            self._tree.kill_run()
        self._forget()
        after = None
        if self._has_file:
            with workspace.as_uid(self._tree.uid):
                after = self._game.read()
        self._report(wire.REPORT.pack(self._status, self._cpu_us, waited_us, after is not None), after or b"")

    def _check_namespace(self) -> None:
        if self._tree.ended_from_outside():
            raise EndedFromOutside

    def _forget(self) -> None:
        self._poll.unregister(self._pidfd)
        os.close(self._pidfd)
        os.close(self._counters)
        self._pid = self._pidfd = self._counters = -1

    def _report(self, head: bytes, data: bytes = b"") -> None:
        self._unsent = wire.packets(head, data)
        self._send()
        if self._unsent:
            self._poll.modify(self._sock, select.POLLOUT)

    def _send(self) -> None:
        """Send as much as the worker takes. It may be waiting for the answer to another request."""
        try:
            while self._unsent:
                self._sock.send(self._unsent[0], _socket.MSG_DONTWAIT)
                del self._unsent[0]
        except BlockingIOError:
            pass
        except ConnectionError:
            self._unsent.clear()


def _readable(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
