"""Makes folders within folders, closed to their owner. Expect: held"""
import os

def go():
    here = os.open("/box/work", os.O_RDONLY)
    try:
        for _ in range(3000):
            os.mkdir("d", dir_fd=here)
            inner = os.open("d", os.O_RDONLY, dir_fd=here)
            os.chmod("d", 0, dir_fd=here)
            os.close(here)
            here = inner
    except OSError:
        pass
