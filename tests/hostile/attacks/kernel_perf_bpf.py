"""Loads a program into the kernel, counts what the processor does for others. Expect: held"""
import ctypes
from hostile import on, refused, syscall

def go():
    instructions = (ctypes.c_uint64 * 2)(0xB7, 0x95)
    license = ctypes.create_string_buffer(b"GPL")
    load = (ctypes.c_uint64 * 16)(1 | 2 << 32, ctypes.addressof(instructions), ctypes.addressof(license))
    make_map = (ctypes.c_uint32 * 16)(2, 4, 4, 4)
    event = (ctypes.c_uint32 * 32)(1, 128)
    event[10] = 0x61  # disabled, without the kernel
    return refused(
        lambda: syscall(on(321, 280), 5, load, 128), lambda: syscall(on(321, 280), 0, make_map, 64),
        lambda: syscall(on(298, 241), event, 0, -1, -1, 0), lambda: syscall(on(298, 241), event, -1, 0, -1, 0))
