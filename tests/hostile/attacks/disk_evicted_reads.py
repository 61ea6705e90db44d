"""Reads large files again and again: at the memory limit each page is evicted first. Expect: held, memory"""
from disk_rate import faster_than_allowed, large_files

def go():
    def read():
        for path in large_files():
            with open(path, "rb", buffering=0) as file:
                while file.read(1 << 20):
                    yield
    return faster_than_allowed(read)
