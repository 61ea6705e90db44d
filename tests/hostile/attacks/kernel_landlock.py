"""Makes rules of its own for files, an interface of the kernel that bots do not need. Expect: held"""
import ctypes
from hostile import refused, syscall

def go():
    handled = ctypes.c_uint64(1)
    return refused(
        lambda: syscall(444, ctypes.byref(handled), 8, 0),
        lambda: syscall(444, None, 0, 1),
        lambda: syscall(446, 0, 0),
        also={95},
    )
