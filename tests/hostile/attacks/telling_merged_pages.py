"""Has equal pages of all processes merged, and sees by the time of a write which ones were. Expect: held"""
import ctypes, mmap
from hostile import call, refused

def go():
    pages = mmap.mmap(-1, 1 << 20)
    return refused(lambda: call("prctl", 67, 1, 0, 0, 0), lambda: pages.madvise(mmap.MADV_MERGEABLE), also={22})
