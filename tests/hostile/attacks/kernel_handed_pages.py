"""Hands pages on without a copy: into pipes, from pipe to pipe, from files. Expect: held"""
import ctypes, os
from hostile import on, refused, syscall

def go():
    (out, into), (_, further) = os.pipe(), os.pipe()
    os.write(into, b"x" * 100)
    page = ctypes.create_string_buffer(4096)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(page), 4096)
    file = os.open("/usr/bin/env", os.O_RDONLY)
    return refused(
        lambda: syscall(on(278, 75), into, vector, 1, 0),
        lambda: syscall(on(278, 75), into, vector, 1, 8),  # as a gift
        lambda: syscall(on(275, 76), file, None, further, None, 4096, 0),
        lambda: syscall(on(275, 76), out, None, further, None, 10, 1),
        lambda: syscall(on(276, 77), out, further, 10, 0),
        lambda: os.sendfile(into, file, 0, 4096),
        lambda: os.sendfile(further, os.open("/bot/bot.py", os.O_RDONLY), None, 10),
        lambda: os.copy_file_range(file, os.open("copy", os.O_WRONLY | os.O_CREAT), 4096),
        also={22},
    )
