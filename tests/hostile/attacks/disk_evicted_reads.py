"""Reads large files again and again: at the memory limit each page is evicted first. Expect: held, memory"""
from disk_rate import faster_than_allowed

def go():
    def read(path):
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                yield
    return faster_than_allowed(read)
