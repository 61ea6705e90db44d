"""Programs that are started by the agent itself, one for each move, as the spawner starts Python bots.

Theory of operation. The worker talks to the agent over a socket of the session's own: arguments and the
game's file come, a program is spawned in the session's room, how it ended and what became of the file go
back, in the spawner's messages. Output goes through pipes of the worker's, who also watches the time. The
agent waits for nobody meanwhile: the end of a program is one more thing that its loop is told of, and a
report that the worker does not take at once is sent when it does.

What a bot has written into the file does get into the agent's memory here. But nobody ever sees that memory:
nothing is forked from this agent but those who measure, and a program that is spawned brings its own.

Nobody is left of a run when it is reported. Whose parent ends becomes a child of PID 1: of the waiting
one of the session's namespace, whose children are looked up and reap themselves, or of the agent in a
container. If there is one, all are ended: the namespace is replaced by another, or everybody is killed.
"""

from __future__ import annotations

import _socket
import os
import select

from . import bots, wire, workspace
from .game_file import GameFile
from .setup import GAME_FILE
from .spawner import REPORT, RUN, enter_work_dir

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from .session import Session

_SIGKILL = 9
_READ = os.O_RDONLY | os.O_CLOEXEC


class Programs:
    def __init__(self, session: Session, sock: int, stdout: int, stderr: int, poll: select.poll) -> None:
        """The descriptors are this object's from now on."""
        self.exit: int | None = None  # of the last one
        self._session = session
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
        """Let go of the descriptors: everybody has been ended, and nobody is started any more."""
        if self._pid >= 0:
            self._forget()
        if self._listening:
            self._poll.unregister(self._sock)
        self._sock.close()
        self._game.close()
        for fd in self._streams:
            os.close(fd)

    def serve(self, fd: int) -> None:
        """Something can be read: the end of the program, or else a request, or there is room for a report."""
        if fd == self._pidfd:
            self._end()
        elif fd != self._sock.fileno():
            return  # of a program that has been reported meanwhile
        elif self._unsent:
            self._send()
            if not self._unsent:
                self._poll.modify(self._sock, select.POLLIN)
        else:
            self._begin()

    def look(self) -> None:
        """See whether the program has ended."""
        if self._pid >= 0 and _readable(self._pidfd):
            self._end()

    def stop(self) -> None:
        """End the program, and all that came of it."""
        if self._pid >= 0:
            self._end(stopped=True)

    def reaped(self, pid: int, status: int, cpu_us: int) -> None:
        """A child has ended."""
        if pid == self._pid:
            self._status, self._cpu_us = status, cpu_us
            self.exit = os.waitstatus_to_exitcode(status)

    def _begin(self) -> None:
        try:
            head, data = wire.receive_bytes(self._sock.fileno())
        except wire.Closed:
            self._poll.unregister(self._sock)  # the worker is giving the session up
            self._listening = False
            return
        (self._has_file,) = RUN.unpack_from(head)
        words = bots.words(head[RUN.size :])
        session = self._session
        try:
            with workspace.as_uid(session.uid):
                enter_work_dir()
                if self._has_file:
                    self._game.write(data)
                    words.insert(0, GAME_FILE)
            self._pid = bots.spawn_confined(session.setup, session.uid, self._streams, words)
        except OSError as error:
            session.check_namespace()
            self._report(REPORT.pack(-(error.errno or 1), 0, 0, False))
            return
        self._pidfd = os.pidfd_open(self._pid)
        self._counters = os.open(f"{self._pid}/schedstat", _READ, dir_fd=session.setup.proc)
        self._poll.register(self._pidfd, select.POLLIN)

    def _end(self, stopped: bool = False) -> None:
        """The program has ended, or is to be stopped: report that, once nobody is left of it."""
        session = self._session
        waited_us = int(os.pread(self._counters, 100, 0).split()[1]) // 1000
        if not stopped:
            session.reap(self._pid)
        if stopped or session.any_left():
            if not stopped and self.exit == -_SIGKILL:
                session.check_namespace()  # once that namespace is replaced nobody can tell
            session.end_all()
        self._forget()
        after = None
        if self._has_file:
            with workspace.as_uid(session.uid):
                after = self._game.read()
        self._report(REPORT.pack(self._status, self._cpu_us, waited_us, after is not None), after or b"")

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
        """As much as the worker takes: it may just be waiting for an answer to something else."""
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
