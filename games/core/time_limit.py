"""Interrupts code of a game that takes too long, in the thread that runs it.

A thread beside it looks at the processor time of the other one, so a machine under load interrupts nothing
that would be quick elsewhere. The exception is raised between two lines of Python: a single call of C, such
as a search by a regular expression, goes on to its end. It may be lost, in a bare `except:` or a destructor,
so it is raised again for as long as the code goes on.
"""

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LOOK_AGAIN = 0.1  # seconds, at least
_RAISE_AGAIN = 0.5  # seconds of processor time, which handlers of the first exception do not need


class TookTooLong(BaseException):
    """Raised within the block of `limited`. Unlike an Exception, it passes most handlers."""

    def __init__(self, *args: object) -> None:  # the interpreter makes it without arguments
        super().__init__(*(args or ("it took too much processor time",)))


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TookTooLong within the block once it has taken so many seconds of processor time."""
    watch = _Watch(seconds)
    try:
        yield
    finally:
        watch.end()


class _Watch:
    """Watches over the thread that makes it, until `end` is called there."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._thread)
        self._until = time.clock_gettime(self._clock) + seconds
        self._changing = threading.Lock()
        self._ended = threading.Event()
        self._raised = False
        threading.Thread(target=self._look, args=(seconds,), daemon=True).start()

    def end(self) -> None:
        """After this, nothing is raised any more."""
        try:
            self._end()
        except TookTooLong:  # it arrived just now
            self._end()
            raise

    def _end(self) -> None:
        with self._changing:
            self._ended.set()
        if self._raised:  # it may not have arrived yet; then it does in the loop
            # If it were taken back, the interpreter would look for it between any two lines from then on, and
            # a traced thread of CPython 3.11 would never go on.
            try:
                for _ in range(2):
                    pass
            except TookTooLong:
                pass

    def _look(self, left: float) -> None:
        while not self._ended.wait(max(left, _LOOK_AGAIN)):
            with self._changing:
                if self._ended.is_set():
                    return
                left = self._until - time.clock_gettime(self._clock)
                if left <= 0:
                    self._raised = True
                    raised = ctypes.py_object(TookTooLong)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), raised)
                    self._until, left = time.clock_gettime(self._clock) + _RAISE_AGAIN, _RAISE_AGAIN
