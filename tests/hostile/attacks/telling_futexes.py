"""Meets another bot at a shared futex by ways that tell who waits for what. Expect: held"""
import ctypes, mmap, os
from hostile import libc, on, refused, syscall

WAIT_BITSET, WAKE_BITSET, REQUEUE, CMP_REQUEUE, WAKE_OP, LOCK_PI = 9, 10, 3, 4, 5, 6

def go():
    shared = os.open("/usr/bin/env", os.O_RDONLY)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, shared, ctypes.c_long(0))
    address, soon = ctypes.c_void_p(page), (ctypes.c_long * 2)(0, 1000)
    futex = lambda op, val=1, bits=5: syscall(on(202, 98), address, op, val, soon, address, ctypes.c_uint(bits))
    new = [lambda number=number: syscall(number, address, ctypes.c_ulong(1), ctypes.c_uint(2), 0, 0, 0) for number in (449, 454, 455, 456)]
    tries = [lambda op=op: futex(op) for op in (WAIT_BITSET, WAKE_BITSET, REQUEUE, CMP_REQUEUE, WAKE_OP, LOCK_PI)]
    return refused(*tries, *new)
