"""Meets another bot at a lock on a device, which is the same one in all boxes. Expect: held"""
import fcntl, os

def go():
    for name in ("null", "zero", "full"):
        device = os.open(f"/dev/{name}", os.O_RDWR)
        for start in (0, 20):
            try:
                fcntl.lockf(device, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, start)
            except OSError as error:
                return f"sees the lock of another on /dev/{name}: {error}"
