"""Reads large files through mappings, a page in 16, and gives them back at once. Expect: held, memory"""
import ctypes, mmap
from disk_rate import faster_than_allowed
from hostile import libc

STEP = 1 << 20

def go():
    def read(path):
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            for start in range(0, len(mapped) - STEP, STEP):
                for page in range(start, start + STEP, 1 << 16):
                    mapped[page]
                mapped.madvise(mmap.MADV_DONTNEED, start, STEP)
                libc.posix_fadvise(file.fileno(), ctypes.c_long(start), ctypes.c_long(STEP), 4)
                yield
    return faster_than_allowed(read)
