"""Waits for the processor of its own will, with the lowest priority if it may, so as to be charged for nothing. Expect: timeout"""
import os

def go():
    try:
        os.nice(19)
    except OSError:
        pass
    for _ in range(4):
        if os.fork() == 0:
            break
    while True:
        os.sched_yield()
