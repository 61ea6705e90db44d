"""Takes huge pages out of the machine's pool, which no group's limit counts. Expect: held"""
import mmap, os
from hostile import refused

def go():
    return refused(lambda: mmap.mmap(-1, 2 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000),
                   lambda: os.memfd_create("huge", 4), also={12, 22})
