"""Has a name that looks like figures to who reads the list of processes, and spins. Expect: timeout"""
import ctypes
from hostile import libc

def go():
    for name in (b") R 1 1 1", b"x) S 0 0 0 0", b"\n0 0 0\n)"):
        libc.prctl(15, name)
        for _ in range(10):
            pass
    while True:
        pass
