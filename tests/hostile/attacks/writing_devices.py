"""Makes devices, and asks those that are there for more than bytes. Expect: held"""
import fcntl, os, stat
from hostile import refused

def go():
    tries = [lambda number=number, kind=kind: os.mknod(f"/box/work/d{number}", kind | 0o666, os.makedev(*number))
             for number, kind in (((1, 1), stat.S_IFCHR), ((8, 0), stat.S_IFBLK), ((254, 0), stat.S_IFBLK), ((10, 232), stat.S_IFCHR))]
    for name in ("/dev/tty", "/dev/console", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/dev/userfaultfd"):
        tries.append(lambda name=name: os.close(os.open(name, os.O_RDWR)))
    return refused(*tries, also={6})  # ENXIO: no terminal
