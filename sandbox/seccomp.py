"""The system calls that no bot may make, as a classic BPF program and as a profile for Docker.

Theory of operation. The keeper of a session puts the program on itself before it starts a bot, so
every process of the session has it and none can take it off (no_new_privs is set). The program is
a list of refusals rather than of permissions, because bots come in twenty languages whose runtimes
try very different calls; what closes the list is that every call newer than the newest one known
here is answered ENOSYS, as an older kernel would. Refused calls fail with EPERM and do not kill:
runtimes probe, and a probe is not a crime. A process that switches to another architecture's calls
(32-bit, x32), whose numbers differ, is killed.

Some calls are judged by an argument: `clone` may make threads and processes but no namespaces;
`clone3`, whose arguments lie in memory that a filter cannot read, is answered ENOSYS, and C
libraries then use `clone`; `socket` gives Unix sockets only; `prlimit64` may change the caller's
own limits but no other process's; `ioctl` must not type into a terminal; `personality` may only ask.
"""

import errno
import json
import platform
import struct

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
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
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
    # leaving the core that the match is pinned to, or slowing the keeper
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
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
    "sync": (162, 81),
    "syncfs": (306, 267),
}  # would flush the host's disks
_UNSUPPORTED: dict[str, tuple[int, int | None]] = {  # attributes use kernel memory beyond the folder's limit
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
}
_CLONE, _CLONE3, _SOCKET, _SOCKETPAIR = (56, 220), 435, (41, 198), (53, 199)
_MEMFD_CREATE = (319, 279)
_IOCTL, _PERSONALITY, _PRLIMIT64 = (16, 29), (135, 92), (302, 261)
_NEWEST_KNOWN = 456  # futex_requeue
_NAMESPACES = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_PERSONALITY_QUERY = 0xFFFFFFFF

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of the table, AUDIT_ARCH
_X32 = 0x40000000

# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6] (little endian here)
_NR, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24
_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000


def _instruction(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, when_true, when_false, value)


def _give(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _refuse(error: int) -> bytes:
    return _give(_ERRNO | error)


def _when(number: int, body: bytes) -> bytes:
    """`body` (which always returns) for one system call; others jump over it."""
    return _instruction(_JUMP_EQUAL, number, 0, len(body) // 8) + body


def program(machine: str | None = None, memory_counted: bool = True) -> bytes:
    """The filter for this machine's (or the named) architecture: an array of `struct sock_filter`.

    Where the kernel does not count the memory of all processes together, files in memory that show
    in no process's size (memfd_create) are refused too.

    Raises ValueError for an architecture whose system calls are not known here.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES:
        raise ValueError(f"no system call filter for {machine}: expected x86_64 or aarch64")
    column, audit = _ARCHITECTURES[machine]
    code = _instruction(_LOAD, _ARCH) + _instruction(_JUMP_EQUAL, audit, 1, 0) + _give(_KILL_PROCESS)
    code += _instruction(_LOAD, _NR)
    if machine == "x86_64":
        code += _instruction(_JUMP_ABOVE, _X32 - 1, 0, 1) + _give(_KILL_PROCESS)
    code += _instruction(_JUMP_ABOVE, _NEWEST_KNOWN, 0, 1) + _refuse(errno.ENOSYS)
    code += _when(_CLONE3, _refuse(errno.ENOSYS))
    code += _when(
        _CLONE[column],
        _instruction(_LOAD, _ARG0)
        + _instruction(_JUMP_ANY_BIT, _NAMESPACES, 0, 1)
        + _refuse(errno.EPERM)
        + _give(_ALLOW),
    )
    for call in (_SOCKET, _SOCKETPAIR):
        code += _when(call[column], _only(_ARG0, _AF_UNIX, errno.EAFNOSUPPORT))
    code += _when(_PRLIMIT64[column], _only(_ARG0, 0, errno.EPERM))
    code += _when(_PERSONALITY[column], _only(_ARG0, _PERSONALITY_QUERY, errno.EPERM))
    code += _when(
        _IOCTL[column],
        _instruction(_LOAD, _ARG1)
        + _instruction(_JUMP_EQUAL, _TIOCSTI, 1, 0)
        + _instruction(_JUMP_EQUAL, _TIOCLINUX, 0, 1)
        + _refuse(errno.EPERM)
        + _give(_ALLOW),
    )
    for table, error in ((_TABLE, errno.EPERM), (_SILENT, 0), (_UNSUPPORTED, errno.EOPNOTSUPP)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                code += _when(number, _refuse(error))
    if not memory_counted:
        code += _when(_MEMFD_CREATE[column], _refuse(errno.ENOSYS))
    return code + _give(_ALLOW)


def _only(argument: int, value: int, error: int) -> bytes:
    """Allow the call if the low half of an argument is `value`, refuse it otherwise."""
    return (
        _instruction(_LOAD, argument)
        + _instruction(_JUMP_EQUAL, value, 1, 0)
        + _refuse(error)
        + _give(_ALLOW)
    )


def docker_profile() -> str:
    """The same refusals for the whole container, its agent included, as Docker wants them (JSON)."""

    def rule(names: list[str], error: int) -> dict[str, object]:
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error}

    namespaces = {"index": 0, "value": _NAMESPACES, "op": "SCMP_CMP_MASKED_EQ"}
    profile = {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": [
            rule(sorted(_TABLE), errno.EPERM),
            rule(["clone3"], errno.ENOSYS),
            rule(sorted(_UNSUPPORTED), errno.EOPNOTSUPP),
        ]
        + [
            rule(["clone"], errno.EPERM) | {"args": [namespaces | {"value": bit, "valueTwo": bit}]}
            for bit in (1 << position for position in range(32))
            if _NAMESPACES & bit
        ],
    }
    return json.dumps(profile)
