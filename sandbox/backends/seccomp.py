"""The system calls that no bot may make, as a classic BPF program and as a profile for Docker.

Theory of operation. A program is put on before there is a bot, so every process of a session has it and
none can take it off (no_new_privs is set). The kernel translates a program each time it is put on, which
takes longer than a system call in the end. So the agent puts on all of it but what it needs itself to make a
session's room, and a session's first process only the rest (`split`); where the agent makes no namespaces
it puts on all of it, for itself too. And so does one whose bots are programs, which bring a memory of their
own: what makes rooms passes there with a key that only the agent has (`with_bypass_key`). The program is
a list of refusals rather than of permissions, because bots come in twenty languages whose runtimes
try very different calls; what closes the list is that every call newer than the newest one known
here is answered ENOSYS, as an older kernel would. Refused calls fail with EPERM and do not kill:
runtimes probe, and a probe is not a crime. A process that switches to another architecture's calls
(32-bit, x32), whose numbers differ, is killed.

Some calls are judged by an argument: `clone` may make threads and children but no namespaces or siblings;
`clone3`, whose arguments lie in memory that a filter cannot read, is answered ENOSYS, and C
libraries then use `clone`; `socket` gives Unix sockets only; `prlimit64` may change the caller's
own limits but no other process's; `ioctl` must not type into a terminal; no signal may be arranged for when
the worker reads what a bot has written; `personality` may only ask;
`sched_setscheduler` may ask for the ordinary policy only, without which Mono aborts; `prctl` must
not claim whole cores.

Boxes may show the same files of the system, so what a bot does to such a file must not be seen in
another box: no watches, no leases, no hints, no reads that report what is in memory, no merging of equal
pages. File locks (`flock`, `F_SETLK`) always succeed and exclude no process; flushing (`fsync`) always
succeeds and does nothing. What cannot be closed here is listed in docs/security.md.

`setsid` and `sched_yield` succeed and do nothing: the one would give a bot more of the processors than its
box's share, the other would have it wait for a processor, which it is not charged for, whenever it likes.
"""

import errno
import json
import platform
import struct
from collections.abc import Sequence

_TABLE: dict[str, tuple[int, int | None]] = {  # name: number on x86_64, number on aarch64
    # namespaces, mounts and roots
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    # other processes' memory and descriptors
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # wide kernel interfaces with a history of holes
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    # running the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "nfsservctl": (180, 42),
    "iopl": (172, None),
    "ioperm": (173, None),
    "lookup_dcookie": (212, 18),
    # files by handle
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # memory that no limit counts, placement of memory
    "memfd_secret": (447, 447),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "get_mempolicy": (239, 236),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # what others do with files that boxes share
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "cachestat": (451, 451),
    # meetings at a shared page, beyond what C libraries use (see _FUTEX)
    "futex_waitv": (449, 449),
    "futex_wake": (454, 454),
    "futex_wait": (455, 455),
    "futex_requeue": (456, 456),
    # objects that outlive a process
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    # leaving the core that the match is pinned to, or slowing its agent
    "sched_setaffinity": (203, 122),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "setpriority": (141, 140),  # nor its own: who waits of its own will would be waited for
    "ioprio_set": (251, 30),
    # relics
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "create_module": (174, None),
    "get_kernel_syms": (177, None),
    "query_module": (178, None),
    "afs_syscall": (183, None),
    "tuxcall": (184, None),
    "security": (185, None),
    "getpmsg": (181, None),
    "putpmsg": (182, None),
    "vserver": (236, None),
    "epoll_ctl_old": (214, None),
    "epoll_wait_old": (215, None),
}
_SILENT: dict[str, tuple[int, int | None]] = {
    # would flush the host's disks, or change what of its files is in memory; a bot's own files are in memory
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
    "msync": (26, 227),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "flock": (73, 32),
    # Who waits of its own will would be waited for: to yield is to spin.
    "sched_yield": (24, 124),
    # The kernel gives each session a share of the processors (autogroup): a box has one.
    "setsid": (112, 157),
}
_UNSUPPORTED: dict[str, tuple[int, int | None]] = {  # attributes use kernel memory beyond the folder's limit
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
}
_FOR_ROOMS = ("unshare", "setns", "mount")  # what an agent that makes namespaces needs; mostly clone, too
_CLONE, _CLONE3, _SOCKET, _SOCKETPAIR = (56, 220), 435, (41, 198), (53, 199)
_MEMFD_CREATE, _SETSOCKOPT = (319, 279), (54, 208)
_IOCTL, _PERSONALITY, _PRLIMIT64 = (16, 29), (135, 92), (302, 261)
_SCHED_SETSCHEDULER, _PRCTL, _FCNTL = (144, 119), (157, 167), (72, 25)
_MMAP, _MADVISE, _FUTEX = (9, 222), (28, 233), (202, 98)
_PREADV2, _PWRITEV2 = (327, 286), (328, 287)
_NEWEST_KNOWN = 456  # futex_requeue
_NAMESPACES = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
_CLONE_PARENT = 0x8000  # a child of the agent's, beside a program: nobody would be found to be left of it
_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902
_PERSONALITY_QUERY = 0xFFFFFFFF
_SCHED_OTHER = 0
_PR_SCHED_CORE, _PR_SET_MEMORY_MERGE = 62, 67
_MAP_HUGETLB, _MFD_HUGETLB = 0x40000, 0x4  # the machine's pool of huge pages belongs to no group
_SHARED_PAGES = (12, 20, 21)  # MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT
_FUTEX_PRIVATE, _FUTEX_CLOCK_REALTIME = 0x80, 0x100
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET = 0, 1, 9
_SEND_BUFFER = (7, 32)  # SO_SNDBUF, SO_SNDBUFFORCE
# fcntl: F_GETLK, F_OFD_GETLK, _SETLK, _SETLKW; F_SETLEASE, F_NOTIFY, F_SET_RW_HINT, F_SET_FILE_RW_HINT
_SHARED = (5, 36, 37, 38, 1024, 1026, 1036, 1038)
_OWNER = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: a signal to others, sent when the worker reads
_LOCKS = (6, 7)  # F_SETLK, F_SETLKW

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of the table, AUDIT_ARCH
_X32 = 0x40000000

# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6] (little endian here)
_NR, _ARCH, _ARG0, _ARG1, _ARG2, _ARG3, _ARG5 = 0, 4, 16, 24, 32, 40, 56
_LOAD, _RETURN = 0x20, 0x06
_JUMP, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_ANY_BIT = 0x05, 0x15, 0x25, 0x45
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000


def _instruction(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, when_true, when_false, value)


def _give(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _refuse(error: int) -> bytes:
    return _give(_ERRNO | error)


def _choice(bodies: dict[int, bytes]) -> bytes:
    """The body (which always returns) for a system call that has one, permission for all others.

    A tree: when a process takes the filter on, the kernel tries it out on every number there is.
    """
    numbers = sorted(bodies)
    if len(numbers) <= 2:
        code = b""
        for number in numbers:
            body = bodies[number]
            code += _instruction(_JUMP_EQUAL, number, 0, len(body) // 8) + body
        return code + _give(_ALLOW)
    middle = len(numbers) // 2
    lower = _choice({number: bodies[number] for number in numbers[:middle]})
    upper = _choice({number: bodies[number] for number in numbers[middle:]})
    to_upper = _instruction(_JUMP_ABOVE, numbers[middle - 1], 0, 1) + _instruction(_JUMP, len(lower) // 8)
    return to_upper + lower + upper  # only this jump is not limited to 255 instructions


def program(machine: str | None = None, memory_counted: bool = True) -> bytes:
    """The filter for this machine's (or the named) architecture: an array of `struct sock_filter`.

    Where the kernel does not count the memory of all processes together, files in memory that show
    in no process's size (memfd_create) are refused too, and sockets hold no more than by default.

    Raises ValueError for an architecture whose system calls are not known here.
    """
    machine = machine or platform.machine()
    return _assembled(machine, _bodies(machine, memory_counted))


def split(machine: str | None = None, memory_counted: bool = True) -> tuple[bytes, bytes]:
    """The same in two programs: for an agent that makes namespaces, and, on top, for what it starts."""
    machine = machine or platform.machine()
    bodies = _bodies(machine, memory_counted)
    column, _ = _ARCHITECTURES[machine]
    rooms = {_CLONE[column], *(number for name in _FOR_ROOMS if (number := _TABLE[name][column]) is not None)}
    first = {number: body for number, body in bodies.items() if number not in rooms}
    return _assembled(machine, first), _assembled(machine, {number: bodies[number] for number in rooms})


def with_bypass_key(key: int, machine: str | None = None, memory_counted: bool = True) -> bytes:
    """The same in one program, for an agent that makes namespaces and starts nobody but programs.

    What it needs for that is let pass with the key (64 bits) as the sixth argument, which those calls do not
    have. Nobody else can read it in the agent's memory or guess it.
    """
    machine = machine or platform.machine()
    bodies = _bodies(machine, memory_counted)
    column, _ = _ARCHITECTURES[machine]
    for name in _FOR_ROOMS:
        number = _TABLE[name][column]
        assert number is not None
        bodies[number] = _with_key(key)
    return _assembled(machine, bodies)


def _assembled(machine: str, bodies: dict[int, bytes]) -> bytes:
    _, audit = _ARCHITECTURES[machine]
    code = _instruction(_LOAD, _ARCH) + _instruction(_JUMP_EQUAL, audit, 1, 0) + _give(_KILL_PROCESS)
    code += _instruction(_LOAD, _NR)
    if machine == "x86_64":
        code += _instruction(_JUMP_ABOVE, _X32 - 1, 0, 1) + _give(_KILL_PROCESS)
    code += _instruction(_JUMP_ABOVE, _NEWEST_KNOWN, 0, 1) + _refuse(errno.ENOSYS)
    return code + _choice(bodies)


def _bodies(machine: str, memory_counted: bool) -> dict[int, bytes]:
    """What becomes of the system calls that are not simply allowed, by number."""
    if machine not in _ARCHITECTURES:
        raise ValueError(f"no system call filter for {machine}: expected x86_64 or aarch64")
    column, _ = _ARCHITECTURES[machine]
    bodies = {_CLONE3: _refuse(errno.ENOSYS)}
    bodies[_CLONE[column]] = (
        _instruction(_LOAD, _ARG0)
        + _instruction(_JUMP_ANY_BIT, _NAMESPACES | _CLONE_PARENT, 0, 1)
        + _refuse(errno.EPERM)
        + _give(_ALLOW)
    )
    for call in (_SOCKET, _SOCKETPAIR):
        bodies[call[column]] = _only(_ARG0, _AF_UNIX, errno.EAFNOSUPPORT)
    bodies[_PRLIMIT64[column]] = _only(_ARG0, 0, errno.EPERM)
    bodies[_PERSONALITY[column]] = _only(_ARG0, _PERSONALITY_QUERY, errno.EPERM)
    bodies[_SCHED_SETSCHEDULER[column]] = _only(_ARG1, _SCHED_OTHER, errno.EPERM)
    bodies[_IOCTL[column]] = _none_of(_ARG1, (_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP), errno.EPERM)
    bodies[_PRCTL[column]] = _none_of(_ARG0, (_PR_SCHED_CORE, _PR_SET_MEMORY_MERGE), errno.EINVAL)
    bodies[_FCNTL[column]] = _none_of(
        _ARG1, _SHARED + _OWNER, errno.EINVAL, otherwise=_none_of(_ARG1, _LOCKS, 0)
    )
    bodies[_MMAP[column]] = _no_bit(_ARG3, _MAP_HUGETLB, errno.ENOMEM)
    bodies[_MEMFD_CREATE[column]] = _no_bit(_ARG1, _MFD_HUGETLB, errno.EINVAL)
    bodies[_MADVISE[column]] = _none_of(_ARG2, _SHARED_PAGES, errno.EINVAL)
    bodies[_FUTEX[column]] = _futex()
    for call in (_PREADV2, _PWRITEV2):  # with flags they tell what of a file is in memory
        bodies[call[column]] = _only(_ARG5, 0, errno.EOPNOTSUPP)
    for table, error in ((_TABLE, errno.EPERM), (_SILENT, 0), (_UNSUPPORTED, errno.EOPNOTSUPP)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                bodies.setdefault(number, _refuse(error))
    if not memory_counted:
        bodies[_MEMFD_CREATE[column]] = _refuse(errno.ENOSYS)
        bodies[_SETSOCKOPT[column]] = _none_of(_ARG2, _SEND_BUFFER, 0)
    return bodies


def _only(argument: int, value: int, error: int) -> bytes:
    """Allow the call if the low half of an argument is `value`, refuse it otherwise."""
    return (
        _instruction(_LOAD, argument)
        + _instruction(_JUMP_EQUAL, value, 1, 0)
        + _refuse(error)
        + _give(_ALLOW)
    )


def _with_key(key: int) -> bytes:
    """Allow the call if its sixth argument is `key`."""
    code = b""
    for left, half in ((2, key & 0xFFFFFFFF), (0, key >> 32)):
        code += _instruction(_LOAD, _ARG5 + (4 if left == 0 else 0))
        code += _instruction(_JUMP_EQUAL, half, 0, left + 1)
    return code + _give(_ALLOW) + _refuse(errno.EPERM)


def _none_of(argument: int, values: Sequence[int], error: int, otherwise: bytes | None = None) -> bytes:
    """Refuse the call if the low half of an argument is one of the values; `otherwise` go on (else allow)."""
    go_on = otherwise or _give(_ALLOW)
    checks = b""
    for left, value in enumerate(reversed(values)):
        checks = _instruction(_JUMP_EQUAL, value, left + len(go_on) // 8, 0) + checks
    return _instruction(_LOAD, argument) + checks + go_on + _refuse(error)


def _no_bit(argument: int, bits: int, error: int) -> bytes:
    """Refuse the call if one of the bits is set in the low half of an argument."""
    return (
        _instruction(_LOAD, argument)
        + _instruction(_JUMP_ANY_BIT, bits, 0, 1)
        + _refuse(error)
        + _give(_ALLOW)
    )


def _futex() -> bytes:
    """Futexes of a process's own, and of shared ones what C libraries use: to wait for one, to wake some.

    A shared futex can lie in a page of a system file, which other boxes map as well. With bit sets, or moved
    to others, its waiters would be told apart. That it can be waited for and woken cannot be helped: the
    end of a thread wakes one that its thread id lies in, and semaphores of several processes are made of it.
    """
    waits = (_FUTEX_WAIT, _FUTEX_WAIT | _FUTEX_CLOCK_REALTIME, _FUTEX_WAKE)
    any_bit_set = _only(_ARG5, 0xFFFFFFFF, errno.ENOSYS)
    timed = (_FUTEX_WAIT_BITSET, _FUTEX_WAIT_BITSET | _FUTEX_CLOCK_REALTIME)
    code = _instruction(_JUMP_ANY_BIT, _FUTEX_PRIVATE, 0, 1) + _give(_ALLOW)
    for value in waits:
        code += _instruction(_JUMP_EQUAL, value, 0, 1) + _give(_ALLOW)
    for value in timed:
        code += _instruction(_JUMP_EQUAL, value, 0, len(any_bit_set) // 8) + any_bit_set
    return _instruction(_LOAD, _ARG1) + code + _refuse(errno.ENOSYS)


def docker_profile() -> str:
    """The same refusals for the whole container, its agent included, as Docker wants them (JSON)."""

    def rule(names: list[str], error: int) -> dict[str, object]:
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error}

    namespaces = {"index": 0, "value": _NAMESPACES, "op": "SCMP_CMP_MASKED_EQ"}
    unusual = {"index": 1, "value": _SCHED_OTHER, "op": "SCMP_CMP_NE"}
    profile = {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": [
            rule(sorted(_TABLE), errno.EPERM),
            rule(["clone3"], errno.ENOSYS),
            rule(sorted(_UNSUPPORTED), errno.EOPNOTSUPP),
            rule(["sched_setscheduler"], errno.EPERM) | {"args": [unusual]},
        ]
        + [
            rule(["clone"], errno.EPERM) | {"args": [namespaces | {"value": bit, "valueTwo": bit}]}
            for bit in (1 << position for position in range(32))
            if (_NAMESPACES | _CLONE_PARENT) & bit
        ],
    }
    return json.dumps(profile)
