"""Uses futexes that hand on their owner's priority, private and shared. Expect: held"""
import ctypes
from hostile import on, refused, syscall

def go():
    def futex(operation):
        word, second_word, nap = ctypes.c_uint32(0), ctypes.c_uint32(0), (ctypes.c_long * 2)(0, 1000)
        return lambda: syscall(on(202, 98), ctypes.byref(word), operation, 0, nap, ctypes.byref(second_word), 0)
    return refused(*(futex(name | flag) for name in (6, 7, 8, 11, 12, 13) for flag in (0, 128, 256, 384)))
