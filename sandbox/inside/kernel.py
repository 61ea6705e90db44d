"""The Linux calls that Python does not offer, through ctypes. Each raises OSError on failure."""

import ctypes
import os
import signal

_libc = ctypes.CDLL(None, use_errno=True)
_held = ctypes.PyDLL(None, use_errno=True)  # calls made without letting go of the interpreter

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x00020000, 0x08000000, 0x20000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_MOVE, MS_REC, MS_PRIVATE = 1 << 13, 1 << 14, 1 << 18
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 4, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 36, 38, 47
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


_set = ctypes.CDLL(None, use_errno=True).prctl
_set.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)


def _prctl(option: int, value: int, third: int = 0, what: str = "prctl") -> None:
    _check(_set(option, value, third, 0, 0), what)


def fork_into_pid_namespace() -> int:
    """fork(), but the child is PID 1 of a new pid namespace: 0 in the child, its pid in the parent.

    A raw clone(2), so the C library's cached thread id in the child stays the parent's; that one is
    read only by functions on mutexes and threads of its own, which the child does not use.
    """
    ctypes.pythonapi.PyOS_BeforeFork()
    flags = ctypes.c_ulong(CLONE_NEWPID | signal.SIGCHLD)
    pid = int(_held.syscall(ctypes.c_long(_SYS_CLONE[os.uname().machine]), flags, None, None, None, None))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    _check(pid, "clone with a new pid namespace")
    return pid


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    done = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode() or None
    )
    _check(done, f"mount {kind} on {target}")


def bound_capabilities() -> None:
    """See to it that no program started from here on gets any capability."""
    for capability in range(64):
        try:
            _prctl(_PR_CAPBSET_DROP, capability)
        except OSError:
            break  # the first number that this kernel does not know
    _prctl(_PR_CAP_AMBIENT, 4, what="clear ambient capabilities")


def drop_capabilities() -> None:
    """Give up the capabilities of this process. After bound_capabilities() none ever comes back."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, what="no_new_privs")


def dumpable(yes: bool) -> None:
    """Whether other processes of this user may look into this one's /proc entries and memory."""
    _prctl(_PR_SET_DUMPABLE, int(yes), what="dumpable")


def adopt_orphans() -> None:
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, what="child subreaper")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def filter_system_calls(program: bytes) -> None:
    """Put a seccomp filter (an array of struct sock_filter) on this process and all it starts."""
    filled = _Program(len(program) // 8, program)
    _check(_libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(filled), 0, 0), "seccomp filter")
