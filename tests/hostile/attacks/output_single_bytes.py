"""Writes one byte at a time, a packet each if it can, which costs the reader two calls each. Expect: garbage"""
import contextlib, fcntl, os

def go():
    with contextlib.suppress(OSError):  # packets are O_DIRECT, which is refused
        fcntl.fcntl(1, fcntl.F_SETFL, os.O_DIRECT | os.O_WRONLY)
    for _ in range(20_000):
        os.write(1, b"\1")
    os.write(1, b"\n")
    os._exit(0)
