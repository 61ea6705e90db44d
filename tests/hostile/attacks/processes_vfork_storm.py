"""Starts and ends processes as fast as it can in eight families at once. Expect: held, crash"""
import os, time

def go():
    for _ in range(8):
        if os.fork() == 0:
            end = time.monotonic() + 1.2
            while time.monotonic() < end:
                try:
                    if os.fork() == 0:
                        os._exit(0)
                    os.waitpid(-1, os.WNOHANG)
                except OSError:
                    pass
            os._exit(0)
