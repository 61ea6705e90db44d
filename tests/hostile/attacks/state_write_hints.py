"""Leaves a hint at files that every box shares, of how long what is written there will live. Expect: held"""
import fcntl, os, struct
from hostile import refused

def go():
    tries = []
    for path in ("/usr/bin/env", "/dev/null", "/bot/bot.py"):
        fd = os.open(path, os.O_RDONLY)
        for command in (1036, 1038):  # F_SET_RW_HINT, F_SET_FILE_RW_HINT
            tries.append(lambda fd=fd, command=command: fcntl.fcntl(fd, command, struct.pack("Q", 3)))
    return refused(*tries, also={22})
