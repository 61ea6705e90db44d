"""Makes giant files: sparse, reserved, grown by seeking. Expect: held"""
import os, signal

def go():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    made = []
    for name, make in {
        "truncated": lambda file: os.ftruncate(file, 1 << 40),
        "reserved": lambda file: os.posix_fallocate(file, 0, 1 << 30),
        "sought": lambda file: os.pwrite(file, b"x", 1 << 40),
    }.items():
        file = os.open(name, os.O_RDWR | os.O_CREAT)
        try:
            make(file)
            made.append(name)
        except OSError:
            pass
    return f"{made}" if made else ""
