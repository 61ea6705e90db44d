"""Sees the locks that another bot holds on a file of the system, as a bot sees flags. Expect: held"""
import fcntl, os, struct

def go():
    signs = []
    file = os.open("/usr/bin/env", os.O_RDONLY)
    number = os.fstat(file).st_ino
    with open("/proc/locks") as locks:
        signs += [line for line in locks if f":{number} " in line]
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        signs.append("flock")
    for command in (5, 36):  # F_GETLK, F_OFD_GETLK
        try:
            asked = struct.pack("hhqqixxxx", fcntl.F_WRLCK, 0, 0, 100, 0)
            if struct.unpack_from("h", fcntl.fcntl(file, command, asked))[0] != fcntl.F_UNLCK:
                signs.append("lock")
        except OSError:
            pass
    return f"sees {signs}" if signs else ""
