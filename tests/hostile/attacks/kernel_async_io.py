"""Takes contexts for asynchronous I/O, of which the whole machine has few. Expect: held"""
import ctypes
from hostile import on, refused, syscall

def go():
    def take(events):
        return lambda: syscall(on(206, 0), events, ctypes.byref(ctypes.c_ulong()))
    others = (on(207, 1), on(208, 4), on(209, 2), on(210, 3), on(333, 292))
    others = (lambda number=number: syscall(number, 0, 0, 0, 0, 0) for number in others)
    return refused(*map(take, (1, 64, 2000)), *others)
