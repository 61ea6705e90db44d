"""Reads past the page cache, from the disk without end: O_DIRECT, set in every way. Expect: held"""
import ctypes, fcntl, os, struct
from hostile import on, refused, syscall

DIRECT = on(0x4000, 0x10000)

def go():
    tries = []
    for path in (b"/usr/bin/env", b"/proc/self/exe"):
        fd = os.open(path, os.O_RDONLY)
        again = f"/proc/self/fd/{fd}".encode()
        how = ctypes.create_string_buffer(struct.pack("QQQ", DIRECT, 0, 0))
        tries += [
            lambda path=path: os.open(path, os.O_RDONLY | DIRECT),
            lambda again=again: os.open(again, os.O_RDONLY | DIRECT | os.O_CLOEXEC),
            lambda path=path: syscall(on(2, -1), path, DIRECT, 0),
            lambda path=path: syscall(on(257, 56), -100, path, ctypes.c_ulong(DIRECT | 1 << 35), 0),
            lambda path=path, how=how: syscall(437, -100, path, how, 24),
            lambda fd=fd: fcntl.fcntl(fd, fcntl.F_SETFL, DIRECT),
            lambda fd=fd: fcntl.fcntl(fd, fcntl.F_SETFL, DIRECT | os.O_NONBLOCK | os.O_APPEND),
        ]
    return refused(*tries, also={22})
