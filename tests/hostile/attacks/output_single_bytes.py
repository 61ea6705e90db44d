"""Writes one byte at a time, a packet each, so that each costs the reader two system calls. Expect: garbage"""
import fcntl, os

def go():
    fcntl.fcntl(1, fcntl.F_SETFL, os.O_DIRECT | os.O_WRONLY)
    for _ in range(20_000):
        os.write(1, b"\1")
    os.write(1, b"\n")
    os._exit(0)
