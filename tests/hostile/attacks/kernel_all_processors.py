"""Interrupts every processor of the machine, or waits for all of them. Expect: held"""
from hostile import on, refused, syscall

def go():
    return refused(*(lambda name=name: syscall(on(324, 283), name, 0, 0) for name in (1, 2, 4)), also={22})
