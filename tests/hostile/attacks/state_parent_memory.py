"""Writes into the memory of the warm interpreter that it and its successors are forked from. Expect: held"""
import ctypes, os
from hostile import on, refused, syscall

def go():
    target = ctypes.create_string_buffer(b"EVIL" * 16)
    place = (ctypes.c_ulong * 2)(ctypes.addressof(target), 64)
    tries = []
    for pid in ({1, os.getppid()} - {0}):
        tries.append(lambda pid=pid: os.open(f"/proc/{pid}/mem", os.O_RDWR))
        tries.append(lambda pid=pid: os.open(f"/proc/{pid}/task/{pid}/mem", os.O_RDWR))
        tries.append(lambda pid=pid: syscall(on(311, 271), pid, place, 1, place, 1, 0))
        for request in (4, 5, 16, 0x4206):  # POKETEXT, POKEDATA, ATTACH, SEIZE
            tries.append(lambda pid=pid, request=request: syscall(on(101, 117), request, pid, ctypes.addressof(target), 0))
    return refused(*tries, also={5})
