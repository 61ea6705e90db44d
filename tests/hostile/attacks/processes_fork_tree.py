"""Every child forks again, forever. Expect: held, timeout, crash, memory"""
import os, time

def go():
    end = time.monotonic() + 5
    if os.fork() == 0:
        while time.monotonic() < end:
            try:
                os.fork()
            except OSError:
                pass
        os._exit(0)
