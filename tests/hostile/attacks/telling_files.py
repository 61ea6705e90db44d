"""Finds what another bot has just written where bots may write. Expect: held"""
import os

OWN = {"/box/game", "/box/shm", "/box/tmp", "/box/work"}

def go():
    traces = []
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/run/lock", "/var/lock", "/dev/mqueue", "/box"):
        try:
            for name in os.listdir(folder):
                if os.lstat(f"{folder}/{name}").st_uid != 0 and f"{folder}/{name}" not in OWN:
                    traces.append(f"{folder}/{name}")
        except OSError:
            pass
    for path in ("/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem"):
        with open(path) as file:
            traces += file.read().splitlines()[1:]
    return f"{traces}" if traces else ""
