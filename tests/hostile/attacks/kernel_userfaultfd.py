"""Stops the kernel in the middle of a copy, by handling its own page faults. Expect: held"""
from hostile import on, refused, syscall

def go():
    return refused(lambda: syscall(on(323, 282), 1), lambda: syscall(on(323, 282), 0), lambda: open("/dev/userfaultfd"))
