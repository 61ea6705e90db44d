"""Reads single pages here and there, which keeps a disk busier than reading in order. Expect: held, memory"""
import os, random
from disk_rate import faster_than_allowed

def go():
    def read(path):
        fd, size = os.open(path, os.O_RDONLY), os.path.getsize(path)
        for _ in range(4096):
            os.pread(fd, 1, random.randrange(size))
            yield
        os.close(fd)
    return faster_than_allowed(read)
