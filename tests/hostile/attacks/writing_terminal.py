"""Types into a terminal as if a user sat there. Expect: held"""
import fcntl, os
from hostile import refused

def go():
    tries = []
    for fd in (0, 1, 2):
        for request in (0x5412, 0x541C, 0x100005412):  # TIOCSTI, TIOCLINUX, and TIOCSTI to who looks at 64 bits
            def type_(fd=fd, request=request):
                return fcntl.ioctl(fd, request & 0xFFFFFFFF, b"\n")
            tries.append(type_)
    said = refused(*tries)
    try:
        end = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
        os.setsid() if os.getsid(0) != os.getpid() else None
        fcntl.ioctl(end, 0x5412, b"x")
        said += " typed into a terminal of its own"
    except OSError:
        pass
    return said
