"""Sets clocks, its own and everybody's. Expect: held"""
import ctypes, os, time
from hostile import call, on, refused, syscall

def go():
    moment, change = (ctypes.c_long * 2)(1, 0), (ctypes.c_long * 30)(1)
    tries = [lambda clock=clock: time.clock_settime(clock, 1.0) for clock in (0, 1, 7)]
    tries += [lambda: syscall(on(164, 170), moment, 0), lambda: syscall(on(159, 171), change)]
    tries += [lambda: syscall(on(305, 266), 0, change), lambda: call("unshare", 0x80), lambda: os.write(os.open("/proc/self/timens_offsets", os.O_WRONLY), b"monotonic 1000 0\n")]
    return refused(*tries, also={22})
