"""Linux calls that Python does not offer, through ctypes. Each raises OSError on failure.

Forked processes make these calls and pay for each page of memory that they touch. So types and constant
arguments are made once, at import; calls keep the interpreter's lock; and errno is read only after an error
(nothing that could change it happens in between).
"""

import ctypes
import errno
import os

libc = ctypes.PyDLL(None)
_errno = libc.__errno_location
_errno.restype = ctypes.POINTER(ctypes.c_int)

CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
CLONE_VM, CLONE_FILES = 0x00000100, 0x00000400
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_MOVE, MS_REC, MS_PRIVATE = 1 << 13, 1 << 14, 1 << 18
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 4, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 36, 38, 47
_SYS_CLONE, _SYS_UNSHARE, _SYS_SETNS, SYS_MOUNT = {
    "x86_64": (56, 272, 308, 165),
    "aarch64": (220, 97, 268, 40),
}.get(os.uname().machine, (-1, -1, -1, -1))
SIGCHLD = 17


def check(result: int, what: str, *values: object) -> None:
    if result < 0:
        number = _errno()[0]
        raise OSError(number, f"{what % values}: {os.strerror(number)}")


_raw_prctl = libc.prctl
_raw_prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)


def _prctl(option: int, value: int, third: int = 0, what: str = "prctl") -> None:
    check(_raw_prctl(option, value, third, 0, 0), what)


_raw_syscall = libc.syscall
_raw_syscall.argtypes = (ctypes.c_long, *(ctypes.c_ulong,) * 6)
_raw_syscall.restype = ctypes.c_long
_key = 0


def use_key(key: int) -> None:
    """Pass `key` as the last argument, which the kernel ignores, to unshare, setns and mount.

    A system call filter can allow the calls that have it (seccomp.with_bypass_key).
    """
    global _key
    _key = key


def fork_into_pid_namespace() -> int:
    """fork(), but the child is PID 1 of a new pid namespace: 0 in the child, its pid in the parent.

    This is a raw clone(2), so the C library's cached thread id in the child remains the parent's. It is read
    only by functions for mutexes and threads, which the child does not use.
    """
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = int(_raw_syscall(_SYS_CLONE, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0, 0))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    check(pid, "clone with a new pid namespace")
    return pid


def enter(namespace: int, kind: int) -> None:
    """Enter the namespace of a descriptor; with CLONE_NEWPID only the next children do."""
    check(_raw_syscall(_SYS_SETNS, namespace, kind, 0, 0, 0, _key), "setns")


def unshare(flags: int) -> None:
    check(_raw_syscall(_SYS_UNSHARE, flags, 0, 0, 0, 0, _key), "unshare")


_mount = libc["syscall"]
_mount.argtypes = (ctypes.c_long, *(ctypes.c_char_p,) * 3, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong)
_mount.restype = ctypes.c_long


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    words = source.encode(), target.encode(), kind.encode()
    done = _mount(SYS_MOUNT, *words, flags, data.encode(), _key)
    check(done, "mount %s on %s", kind, target)


_capset, _capget = libc.capset, libc.capget
_capset.argtypes = _capget.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
_version, _none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
_no_capabilities = ctypes.addressof(_version), ctypes.addressof(_none)


def bound_capabilities() -> None:
    """Make sure that no program started from now on gets or inherits any capability."""
    for capability in range(64):
        try:
            _prctl(_PR_CAPBSET_DROP, capability)
        except OSError:
            break  # the first number that this kernel does not know
    _prctl(_PR_CAP_AMBIENT, 4, what="clear ambient capabilities")
    mine = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable; the lower halves first
    check(_capget(_no_capabilities[0], mine), "capget")
    mine[2] = mine[5] = 0
    check(_capset(_no_capabilities[0], mine), "capset")


def drop_capabilities() -> None:
    """Give up the capabilities of this process. After bound_capabilities() it cannot regain them."""
    check(_capset(*_no_capabilities), "capset")


def no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, what="no_new_privs")


def set_dumpable(yes: bool) -> None:
    """Whether other processes of this user may look into this one's /proc entries and memory."""
    _prctl(_PR_SET_DUMPABLE, int(yes), what="set_dumpable")


def adopt_orphans() -> None:
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, what="child subreaper")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


class Filter:
    """A seccomp filter: an array of struct sock_filter. An empty one does nothing."""

    def __init__(self, program: bytes) -> None:
        self._program = _Program(len(program) // 8, program)
        self._address = ctypes.addressof(self._program)

    def install(self) -> None:
        """Apply the filter to this process and all that it starts. Requires no_new_privs."""
        if self._program.length:
            _prctl(_PR_SET_SECCOMP, 2, self._address, "seccomp filter")


_P_ALL, _P_PID = 0, 1
_WNOHANG, _WEXITED, _WNOWAIT, _WALL = 1, 4, 0x01000000, 0x40000000  # __WALL: children of every kind
_waitid, _wait4 = libc.waitid, libc.wait4
_waitid.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_wait4.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_status, _used = ctypes.c_int(), (ctypes.c_long * 18)()  # a struct rusage: two times, then the peak memory
_wait4_results = ctypes.addressof(_status), ctypes.addressof(_used)


def await_end(pid: int) -> None:
    """Wait until a child has ended. It stays visible in /proc until it is reaped."""
    while _waitid(_P_PID, pid, None, _WEXITED | _WNOWAIT) < 0:  # signals are handled in between
        if _errno()[0] != errno.EINTR:
            check(-1, "waitid")


def has_no_children() -> bool:
    return int(_waitid(_P_ALL, 0, None, _WEXITED | _WNOHANG | _WNOWAIT | _WALL)) < 0


def reap(pid: int) -> tuple[int, int, int, int]:
    """Wait for the end of a child, -1: of any. Raises ChildProcessError if there is none.

    Returns its pid, its status as wait(2) has it, its CPU time (microseconds) and its peak memory (KiB).
    """
    while (reaped := int(_wait4(pid, _wait4_results[0], _WALL, _wait4_results[1]))) < 0:
        if _errno()[0] != errno.EINTR:
            check(-1, "wait4")
    seconds, more = _used[0] + _used[2], _used[1] + _used[3]
    return reaped, _status.value, seconds * 1_000_000 + more, _used[4]
