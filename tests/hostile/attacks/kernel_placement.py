"""Leaves the processor it was put on, changes limits and priorities of its parent. Expect: held"""
import os, resource
from hostile import refused

def go():
    def move():
        os.sched_setaffinity(0, range(os.cpu_count()))
    def realtime():
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    tries = [move, realtime, lambda: os.nice(-5)]
    for pid in ({1, os.getppid()} - {0}):
        tries.append(lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0)))
        tries.append(lambda pid=pid: os.sched_setaffinity(pid, {0}))
        tries.append(lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    said = refused(*tries)
    for name in ("NPROC", "NOFILE", "FSIZE", "CORE"):
        what = getattr(resource, f"RLIMIT_{name}")
        soft, hard = resource.getrlimit(what)
        try:
            resource.setrlimit(what, (hard + 1, hard + 1))
            said += f" raised {name}"
        except (ValueError, OSError):
            pass
    return said
