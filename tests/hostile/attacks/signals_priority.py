"""Slows down its watchers, and itself: the lowest priority for its parent, its user, its group. Expect: held"""
import os
from hostile import call, on, refused, syscall

def go():
    PROCESS, GROUP, USER = 0, 1, 2
    tries = [lambda pid=pid: os.setpriority(PROCESS, pid, 19) for pid in ({1, os.getppid()} - {0})]
    tries += [lambda: os.nice(1), lambda: os.setpriority(USER, 0, 19), lambda: os.setpriority(USER, os.getuid(), 19)]
    tries += [lambda: os.setpriority(GROUP, 1, 19)]
    idle = 3 << 13
    tries += [lambda pid=pid: syscall(on(251, 30), 1, pid, idle) for pid in ({1, os.getppid()} - {0})]
    tries += [lambda: syscall(on(251, 30), 3, os.getuid(), idle)]
    for pid in ({1, os.getppid()} - {0}):
        tries.append(lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
        tries.append(lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))
    return refused(*tries)
