# The same with the last bytes of its output, which are read when its steps have ended. Expect: held
python3 - <<'END'
import fcntl, os, struct
F_SETOWN_EX, FIOSETOWN, SIOCSPGRP = 15, 0x8901, 0x8902
starters = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid(), os.getppid())]
for fd in (1, 2):
    for pid in (*starters, os.getppid()):
        for own in (lambda: fcntl.fcntl(fd, fcntl.F_SETOWN, pid),
                    lambda: fcntl.fcntl(fd, F_SETOWN_EX, struct.pack("ii", 1, pid)),
                    lambda: fcntl.ioctl(fd, FIOSETOWN, struct.pack("i", pid)),
                    lambda: fcntl.ioctl(fd, SIOCSPGRP, struct.pack("i", pid))):
            try:
                own()
                fcntl.fcntl(fd, fcntl.F_SETSIG, 9)
            except OSError:
                pass
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        pass
END
sleep 0.1; head -c 50000 /dev/zero &
