"""Rearranges the pages of a mapping, a call that no program has needed for years. Expect: held"""
import ctypes, mmap
from hostile import on, refused, syscall

def go():
    pages = mmap.mmap(-1, 1 << 16)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    return refused(lambda: syscall(on(216, 234), ctypes.c_void_p(start), 4096, 0, 3, 0))
