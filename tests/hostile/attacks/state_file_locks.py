"""Leaves locks, leases and watches on files that every box shares. Expect: held"""
import fcntl, os
from hostile import call, refused

def go():
    shared = os.open("/usr/bin/env", os.O_RDONLY)
    folder = os.open("/usr/bin", os.O_RDONLY)
    return refused(
        lambda: fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT),
        lambda: fcntl.fcntl(shared, fcntl.F_SETLEASE, fcntl.F_RDLCK),
        lambda: call("inotify_init1", 0),
        lambda: call("fanotify_init", 0, 0), also={22})
