"""Opens terminals, which have numbers for the whole machine. Expect: held"""
import os
from hostile import refused

def go():
    return refused(lambda: os.openpty(), lambda: os.open("/dev/ptmx", os.O_RDWR), lambda: os.open("/dev/pts/ptmx", os.O_RDWR),
                   lambda: os.open("/dev/tty", os.O_RDWR), also={6})
