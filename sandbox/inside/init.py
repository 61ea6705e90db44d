"""PID 1 of a session's namespace: not a program but a chain of libc calls on a stack inside the agent.

Theory of operation.

Processes:
- The first process of a pid namespace is its PID 1, and only a process inside the namespace can mount its
  /proc. So a process of our own is needed in there before any bot.
- A fork of the interpreter would be the most expensive part of a session. Instead clone(2) makes a process
  that shares the agent's memory and has a stack of its own, which is safe as long as it touches nothing of
  the interpreter. The process makes three calls in a row, prepared with makecontext(3): mount /proc, write
  a byte to the agent, pause forever.

Pipes:
- One pipe within the agent. The agent waits for the byte.

Trust:
- No process in the namespace can signal or kill its PID 1.

Failure:
- When PID 1 ends, the kernel ends every process of the namespace. Its memory is the agent's and stays.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # importing signal makes every fork touch enumerations
import ctypes
import os

from . import kernel
from .kernel import libc

_STACK = 16 << 10  # bytes of a stack, and of a context
_clone = libc.clone
_clone.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_makecontext = libc.makecontext
_makecontext.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, *(ctypes.c_ulong,) * 7)


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


class _Step:
    """A call of a C function on a stack of its own, and the step that follows it (makecontext(3))."""

    def __init__(self, function: object, then: _Step | None) -> None:
        self._memory = ctypes.create_string_buffer(2 * _STACK)
        self.context = (ctypes.addressof(self._memory) + 63) & ~63
        self._function = _address(function)
        libc.getcontext(ctypes.c_void_p(self.context))
        fields = (ctypes.c_ulong * 5).from_address(self.context)
        fields[1] = then.context if then else 0  # uc_link; then uc_stack: where, flags, size
        fields[2], fields[4] = self.context + _STACK, _STACK - 128

    def prepare(self, *arguments: int) -> None:
        words = (*arguments, *(0,) * (7 - len(arguments)))
        _makecontext(self.context, self._function, len(arguments), *words)


class Init:
    """PID 1 of pid namespaces, one at a time."""

    def __init__(self, key: int) -> None:
        """`key`: see kernel.use_key."""
        self._key = key
        self._mounted, self._report = os.pipe()
        self._wait = _Step(libc.pause, None)
        self._write = _Step(libc.write, self._wait)
        self._mount = _Step(libc.syscall, self._write)
        self._flags = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        self._word, self._place, self._nothing = map(ctypes.c_char_p, (b"proc", b"/proc", b""))
        self._stack = ctypes.create_string_buffer(_STACK)
        self._start = (
            _address(libc.setcontext),
            (ctypes.addressof(self._stack) + _STACK) & ~15,
            kernel.CLONE_VM | kernel.CLONE_FILES | kernel.SIGCHLD,
            self._mount.context,
        )

    def begin_pid_namespace(self, childless: bool) -> int:
        """Make a pid namespace for the next children, and mount its /proc here; the pid of its PID 1.

        `childless`: orphans that become children of PID 1 are reaped automatically when they end.
        """
        kernel.unshare(kernel.CLONE_NEWPID)
        word = _address(self._word)
        arguments = word, _address(self._place), word, self._flags, _address(self._nothing), self._key
        self._mount.prepare(kernel.SYS_MOUNT, *arguments)
        self._write.prepare(self._report, word, 1)
        self._wait.prepare()
        if childless:
            _signal.signal(kernel.SIGCHLD, _signal.SIG_IGN)
        pid = int(_clone(*self._start))
        if childless:
            _signal.signal(kernel.SIGCHLD, _signal.SIG_DFL)
        kernel.check(pid, "clone")
        os.read(self._mounted, 1)
        return pid
