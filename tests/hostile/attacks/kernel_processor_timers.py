"""Makes timers and naps that go by processor time, its own and that of others. Expect: held"""
import ctypes, os
from hostile import on, refused, syscall

def go():
    tries = []
    for clock in (2, 3, ~os.getpid() << 3 | 2, ~0 << 3 | 6, ~1 << 3 | 2):
        number, nap = ctypes.c_int(), (ctypes.c_long * 2)(0, 1000)
        tries.append(lambda clock=clock, number=number: syscall(on(222, 107), clock, None, ctypes.byref(number)))
        tries.append(lambda clock=clock, nap=nap: syscall(on(230, 115), clock, 1, nap, None))
    for kind in (1, 2):  # ITIMER_VIRTUAL, ITIMER_PROF
        tries.append(lambda kind=kind: syscall(on(38, 103), kind, (ctypes.c_long * 4)(0, 1000, 0, 1000), None))
    return refused(*tries, also={22})
