"""Looks for descriptors that it was not meant to have, and writes into them. Expect: held"""
import os

def go():
    writable = []
    for fd in range(3, 4096):
        try:
            os.write(fd, b'{"op":"end"}')
            writable.append(fd)
        except OSError:
            pass
    return f"descriptors {writable}" if writable else ""
