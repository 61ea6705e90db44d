"""Climbs out of every folder it has: links, dots, handles, a folder that moves meanwhile. Expect: held"""
import os
from hostile import facts

def go():
    escapes = []
    climbs = ["../" * 40, "/proc/self/root/" + "../" * 40, "/proc/self/cwd/" + "../" * 40, "/box/tmp/../" + "../" * 40]
    os.makedirs("a/b/c")
    inside = os.open("a/b/c", os.O_RDONLY)
    os.rename("a/b", "b")
    for folder in (None, inside):
        for climb in climbs:
            try:
                names = os.listdir(os.open(climb, os.O_RDONLY, dir_fd=folder))
                os.stat(climb + facts()["file"], dir_fd=folder)
                escapes.append((climb, names))
            except OSError:
                pass
    return f"{escapes}"[:300] if escapes else ""
