"""Spins in orphans, which have no parent to add their time to. Expect: timeout"""
import os, time

def go():
    for _ in range(6):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            while True:
                pass
    for _ in range(6):
        os.wait()
    time.sleep(1000)
