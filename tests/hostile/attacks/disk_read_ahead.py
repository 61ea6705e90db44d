"""Has large files read ahead, which queues reads without waiting for them. Expect: held, memory"""
import ctypes, mmap
from disk_rate import bytes_read, large_files
from hostile import libc

def go():
    files = list(large_files())
    before = bytes_read()
    for path in files:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            mapped.madvise(mmap.MADV_WILLNEED)
            libc.readahead(file.fileno(), ctypes.c_long(0), ctypes.c_size_t(len(mapped)))
            libc.posix_fadvise(file.fileno(), ctypes.c_long(0), ctypes.c_long(len(mapped)), 3)
    if (read := bytes_read() - before) > 4 << 20:
        return f"{read >> 20} MiB are queued"
