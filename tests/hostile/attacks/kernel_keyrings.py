"""Keeps data in the kernel's keyrings, which outlive processes. Expect: held"""
from hostile import on, refused, syscall

def go():
    return refused(*(lambda ring=ring: syscall(on(248, 217), b"user", b"evil", b"state", 5, ring) for ring in (-1, -2, -3, -4, -5)),
                   lambda: syscall(on(250, 219), 1, b"evil"), lambda: syscall(on(250, 219), 0, -3, 1),
                   lambda: syscall(on(249, 218), b"user", b"evil", None, -3))
