"""Asks for whole cores for itself, real time, a share of others' processors. Expect: held"""
import ctypes, os
from hostile import call, on, refused, syscall

def go():
    attributes = (ctypes.c_uint32 * 14)(56, 6)  # SCHED_DEADLINE
    tries = [lambda: call("prctl", 62, 1, 0, 1, 0), lambda: call("prctl", 62, 1, 1, 0, 0)]  # PR_SCHED_CORE
    tries += [lambda: syscall(on(314, 274), 0, attributes, 0), lambda: os.sched_setparam(0, os.sched_param(1))]
    tries += [lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)), lambda: os.setpriority(0, 0, -10)]
    return refused(*tries, also={22} if not os.path.exists("/proc/self/sched") else {22})
