"""Changes the machine code of the C library that it shares with its parent and with every other bot. Expect: held"""
import ctypes, mmap
from hostile import libc

def go():
    address = ctypes.cast(libc.labs, ctypes.c_void_p).value
    page = address & ~4095
    if libc.mprotect(ctypes.c_void_p(page), 8192, 7) == 0:
        ctypes.memmove(address, b"EVIL", 4)
    try:
        with open("/proc/self/mem", "r+b", 0) as memory:
            memory.seek(address + 8)
            memory.write(b"EVIL")
    except OSError:
        pass
    with open("/proc/self/maps") as maps:
        shared = [line.split()[5] for line in maps if " rws" in line or " r-xs" in line]
    if shared:
        return f"shares {shared}"
