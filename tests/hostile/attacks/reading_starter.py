"""Reads memory, environment and descriptors of the processes that watch it. Expect: held"""
import os
from hostile import reading, refused

def go():
    def listing(path):
        def entries():
            return os.listdir(path)
        return entries
    tries = []
    for pid in ({1, os.getppid()} - {0}):
        tries += [reading(f"/proc/{pid}/{name}") for name in ("mem", "environ", "maps", "auxv", "syscall", "stack")]
        tries += [listing(f"/proc/{pid}/{name}") for name in ("fd", "map_files", "cwd", "root")]
    return refused(*tries)
