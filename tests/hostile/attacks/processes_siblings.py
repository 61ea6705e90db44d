"""Makes processes that are children of its parent rather than its own. Expect: held"""
import ctypes, os, time
from hostile import on, syscall

def go():
    CLONE_PARENT, SIGCHLD = 0x8000, 17
    for _ in range(10):
        try:
            if syscall(on(56, 220), ctypes.c_ulong(CLONE_PARENT | SIGCHLD), 0, 0, 0, 0) == 0:
                os.close(1)
                time.sleep(1000)
        except OSError:
            pass
