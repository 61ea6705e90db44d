"""Has the kernel load a module: directly, and by asking for what only a module offers. Expect: held"""
import ctypes, os, socket
from hostile import on, refused, syscall

def go():
    file = os.open("bot.py", os.O_RDONLY)
    image = ctypes.create_string_buffer(b"\x7fELF" + bytes(100))
    tries = [lambda: syscall(on(313, 273), file, b"", 0), lambda: syscall(on(175, 105), image, 104, b"")]
    tries += [lambda family=family: socket.socket(family, socket.SOCK_DGRAM) for family in (9, 21, 29, 30, 32, 36, 38, 40, 44)]
    return refused(*tries)
