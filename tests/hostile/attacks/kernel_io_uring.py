"""Uses io_uring, which makes system calls that no filter sees. Expect: held"""
import ctypes
from hostile import refused, syscall

def go():
    parameters = (ctypes.c_uint32 * 30)()
    return refused(lambda: syscall(425, 8, parameters), lambda: syscall(426, 3, 1, 0, 0, 0), lambda: syscall(427, 3, 0, 0, 0))
