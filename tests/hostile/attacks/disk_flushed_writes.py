"""Writes wherever it can, and has each write flushed to the disk. Expect: held"""
import ctypes, os
from disk_rate import bytes_written
from hostile import libc

def go():
    before = bytes_written()
    for folder in ("/box/work", "/tmp", "/dev/shm", "/box", "/bot", "/var/tmp", "/usr/lib", "/run"):
        try:
            fd = os.open(f"{folder}/new", os.O_RDWR | os.O_CREAT | os.O_SYNC)
        except OSError:
            continue
        for number in range(200):
            os.pwrite(fd, b"x" * 4096, number * 4096)
            libc.sync_file_range(fd, ctypes.c_long(0), ctypes.c_long(0), 7)
            os.fsync(fd)
            os.fdatasync(fd)
        os.unlink(f"{folder}/new")
    if written := bytes_written() - before:
        return f"{written} bytes are on a disk"
