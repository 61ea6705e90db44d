"""Makes namespaces, mounts, roots. Expect: held"""
import ctypes, os
from hostile import call, on, refused, syscall

def go():
    flags = [0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x80]
    tries = [lambda flag=flag: call("unshare", flag) for flag in flags]
    tries += [lambda flag=flag: syscall(on(56, 220), ctypes.c_ulong(flag | 17), 0, 0, 0, 0) for flag in flags[:-1]]
    tries.append(lambda: syscall(435, (ctypes.c_ulong * 11)(0x10000000), 88))
    tries.append(lambda: call("mount", b"tmpfs", b"/box/work", b"tmpfs", 0, None))
    tries.append(lambda: call("mount", b"proc", b"/box/work", b"proc", 0, None))
    tries.append(lambda: call("umount2", b"/proc", 2))
    tries.append(lambda: os.chroot("/box/work"))
    tries.append(lambda: call("pivot_root", b"/box/work", b"/box/work"))
    tries.append(lambda: call("setns", os.open("/proc/self/ns/user", os.O_RDONLY), 0))
    tries.append(lambda: syscall(430, b"tmpfs", 0))
    tries.append(lambda: syscall(428, -100, b"/", 1))
    return refused(*tries)
