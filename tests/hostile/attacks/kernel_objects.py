"""Makes objects that live on without a process: shared memory, semaphores, queues. Expect: held"""
from hostile import call, on, refused, syscall

def go():
    return refused(
        lambda: call("shmget", 1234, 4096, 0o1666),
        lambda: call("semget", 1234, 1, 0o1666),
        lambda: call("msgget", 1234, 0o1666),
        lambda: syscall(on(240, 180), b"evil", 0o102, 0o666, 0),
    )
