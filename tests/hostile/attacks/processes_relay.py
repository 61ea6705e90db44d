"""Runs from process to process, each starting the next and ending, so as to be missed by every kill. Expect: held, crash, timeout"""
import os, time

def go():
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            os.closerange(0, 3)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                try:
                    if os.fork():
                        os._exit(0)
                except OSError:
                    pass
