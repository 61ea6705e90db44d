"""Makes every system call that is newer than the list of the forbidden. Expect: held"""
import ctypes
from hostile import refused, syscall

def go():
    zeros = (ctypes.c_ulong * 16)()
    tries = []
    for number in range(457, 600):
        def attempt(number=number):
            return syscall(number, zeros, zeros, 0, 0, 0)
        attempt.__name__ = str(number)
        tries.append(attempt)
    return refused(*tries)
