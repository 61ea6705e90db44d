"""Makes the pipes that it shares with the referee behave otherwise. Expect: held"""
import fcntl, os

def go():
    for fd in (0, 1):
        os.set_blocking(fd, False)
        fcntl.fcntl(fd, 1031, 4096)
        try:
            fcntl.fcntl(fd, fcntl.F_SETOWN, 1)
        except OSError:
            pass
        os.set_blocking(fd, True)
