"""Reads large files through mappings, and gives each page back at once. Expect: held, memory"""
import ctypes, mmap
from disk_rate import faster_than_allowed, large_files
from hostile import libc

STEP = 1 << 20

def go():
    def read():
        for path in large_files():
            with open(path, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
                for start in range(0, len(mapped) - STEP, STEP):
                    for page in range(start, start + STEP, 4096):
                        mapped[page]
                    mapped.madvise(mmap.MADV_DONTNEED, start, STEP)
                    libc.posix_fadvise(file.fileno(), ctypes.c_long(start), ctypes.c_long(STEP), 4)
                    yield
    return faster_than_allowed(read)
