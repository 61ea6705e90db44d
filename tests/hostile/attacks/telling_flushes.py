"""Has the host's disks flushed, again and again, by way of files that every box shares. Expect: held"""
import ctypes, mmap, os
from hostile import libc

def flushes():
    with open("/proc/diskstats") as file:
        return sum(int(words[18]) for words in map(str.split, file) if len(words) > 18)

def go():
    shared = os.open("/usr/bin/env", os.O_RDONLY)
    mapped = mmap.mmap(shared, 4096, mmap.MAP_SHARED, mmap.PROT_READ)
    before = flushes()
    for _ in range(200):
        os.fsync(shared)
        os.fdatasync(shared)
        libc.sync_file_range(shared, ctypes.c_long(0), ctypes.c_long(0), 7)
        mapped.flush()
        libc.syncfs(shared)
    after = flushes()
    if after - before > 150:
        return f"{after - before} flushes"
