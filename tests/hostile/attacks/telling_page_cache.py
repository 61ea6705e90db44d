"""Asks what of a shared file is in memory, and has it put there and taken out. Expect: held"""
import ctypes, mmap, os
from hostile import call, libc, on, refused, syscall

def go():
    shared = os.open("/usr/bin/env", os.O_RDONLY)
    mapped = mmap.mmap(shared, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)
    page = ctypes.c_void_p.from_buffer_copy(bytes(8))
    buffer = ctypes.create_string_buffer(4096)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 4096)
    os.posix_fadvise(shared, 0, 0, os.POSIX_FADV_DONTNEED)
    return refused(lambda: os.preadv(shared, [bytearray(4096)], 0, os.RWF_NOWAIT),
                   lambda: syscall(on(327, 286), shared, vector, ctypes.c_long(1), ctypes.c_long(0), ctypes.c_long(0), 8),
                   lambda: syscall(451, shared, page, page, 0), lambda: mapped.madvise(20), lambda: mapped.madvise(21), also={22, 95})
