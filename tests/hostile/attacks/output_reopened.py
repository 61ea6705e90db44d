"""Opens the other ends of its pipes: takes back what it said, asks itself. Expect: timeout, flood"""
import os, time

def go():
    mine = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    question = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    os.write(question, b"go reading_host\n" * 100)
    end = time.monotonic() + 1000
    while time.monotonic() < end:
        os.write(1, b"half a line")
        try:
            os.read(mine, 65536)
        except BlockingIOError:
            pass
