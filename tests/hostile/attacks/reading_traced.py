"""Attaches to the processes that watch it, as a debugger would. Expect: held"""
import ctypes, os
from hostile import call, on, refused, syscall

def go():
    tries = []
    for pid in ({1, os.getppid()} - {0}):
        tries += [lambda pid=pid, request=request: call("ptrace", request, pid, 0, 0) for request in (16, 0x4206)]
        buffer = (ctypes.c_ulong * 2)(0, 8)
        tries.append(lambda pid=pid, b=buffer: syscall(on(310, 270), pid, b, 1, b, 1, 0))
        tries.append(lambda pid=pid: syscall(438, os.pidfd_open(pid), 0, 0))
        tries.append(lambda pid=pid: syscall(on(312, 272), os.getpid(), pid, 0, 0, 0))
    return refused(*tries)
