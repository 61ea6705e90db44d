"""Leaves shared memory of every kind: a file, a name, a segment, a queue, a descriptor. Expect: held"""
import mmap, os
from hostile import call, on, syscall

def go():
    left = []
    for name, leave in {
        "segment": lambda: call("shmget", 0x1234, 4096, 0o1666),
        "semaphore": lambda: call("semget", 0x1234, 1, 0o1666),
        "queue": lambda: call("msgget", 0x1234, 0o1666),
        "posix queue": lambda: syscall(on(240, 180), b"evil", 0o102, 0o666, 0),
        "queue file": lambda: open("/dev/mqueue/evil", "x"),
    }.items():
        try:
            leave()
            left.append(name)
        except OSError:
            pass
    with open("/dev/shm/evil", "wb") as file:
        file.write(b"state" * 1000)
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, 3)
        kept = mmap.mmap(-1, 4096)
        while True:
            kept[0] = 1
            os.sched_yield()
    return f"left {left}" if left else ""
