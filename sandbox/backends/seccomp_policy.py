"""The policy of the system call filter: which calls no bot may make, and why.

What no language needs is not listed in seccomp_allowed.py, and is answered ENOSYS, as on an older kernel; so
are the calls of future kernels. What is refused by name is what a program might miss, or what a kernel
answers otherwise. Refused calls fail with an errno and do not kill: runtimes probe, and a probe is not an
attack.

Calls that are judged by an argument:

- `clone` may make threads and children, but no namespaces and no siblings. `clone3`, whose arguments are in
  memory that a filter cannot read, is answered ENOSYS; C libraries then use `clone`.
- `socket` and `socketpair` make Unix sockets only.
- `prlimit64` may change the caller's own limits, but no other process's.
- `ioctl` may ask what terminals, pipes and descriptors are asked, and must not type into a terminal. Neither
  it nor `fcntl` may arrange for a signal when the worker reads what a bot has written.
- `personality` may only query. `sched_setscheduler` may ask for the ordinary policy only, without which Mono
  aborts.
- `prctl` may set what a process sets for itself, and must not claim whole cores. Neither it nor `seccomp` nor
  a socket may load a program into the kernel: their compiled code is a pool of the machine.
- `open`, `openat` and `fcntl` must not ask for `O_DIRECT`, with which a bot could read from the disk without
  end although everything is cached. `openat2`, whose flags are in memory, is answered ENOSYS.
- Timers (also those of `setitimer`) and naps go by the clocks of the machine, not by processor time: the
  kernel would check such a timer at every tick.
- `membarrier` may concern the process itself only: the other commands interrupt or await every processor.
- Unix sockets carry no out-of-band bytes (`MSG_OOB`), and futexes hand on no priority: C libraries do
  without, and both have a history of vulnerabilities.
- Boxes may show the same files of the system. What a bot does to such a file must not be visible in another
  box: no watches, leases, hints, reads that report what is cached, or merging of equal pages. File locks
  always succeed and exclude no process; flushing always succeeds and does nothing.

`setsid` and `sched_yield` succeed and do nothing: the first would give a bot more of the processors than its
box's share, the second would let it wait for a processor, which it is not charged for, whenever it likes.
Channels that the filter cannot close are listed in docs/explanations/security.md.
"""

import errno

from sandbox.backends.bpf import ALLOW, COLUMNS, Calls, no_bit, none_of, one_of, only, refuse, switch
from sandbox.backends.seccomp_allowed import ALLOWED

REFUSED: Calls = {  # name: number on x86_64, number on aarch64
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
    # memory and descriptors of other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # wide kernel interfaces with a history of vulnerabilities
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
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "remap_file_pages": (216, 234),
    "get_robust_list": (274, 100),
    # a pool of the machine (fs.aio-max-nr), whose level every box could read
    "io_setup": (206, 0),
    "io_destroy": (207, 1),
    "io_getevents": (208, 4),
    "io_submit": (209, 2),
    "io_cancel": (210, 3),
    "io_pgetevents": (333, 292),
    # administration of the machine
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
    # memory that no limit counts; placement of memory
    "memfd_secret": (447, 447),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "get_mempolicy": (239, 236),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # watching what others do with files that boxes share
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "cachestat": (451, 451),
    # communication over a shared page, beyond what C libraries use (see _futex)
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
    "setpriority": (141, 140),  # not even its own: waits for a processor are credited
    "ioprio_set": (251, 30),
    # obsolete calls
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
IGNORED: Calls = {
    # would flush the host's disks, or change which of its files are cached; a bot's own files are in memory
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
    "msync": (26, 227),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "flock": (73, 32),
    # A bot is credited for the time that it waits for a processor, so it must not wait at will.
    "sched_yield": (24, 124),
    # The kernel gives each session a share of the processors (autogroup): a box gets one share only.
    "setsid": (112, 157),
}
UNSUPPORTED: Calls = {  # extended attributes use kernel memory that the folder's limit does not count
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}
# Pages handed on without a copy: a history of vulnerabilities. Runtimes copy after EINVAL, as for most files.
COPIED_INSTEAD: Calls = {
    "splice": (275, 76),
    "tee": (276, 77),
    "vmsplice": (278, 75),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
}
NAMESPACE_CALLS = ("unshare", "setns", "mount")  # needed by an agent that makes namespaces, besides clone
CLONE, _CLONE3, _SOCKET, _SOCKETPAIR = (56, 220), 435, (41, 198), (53, 199)
_OPEN, _OPENAT, _OPENAT2, _SECCOMP = 2, (257, 56), 437, (317, 277)
_TIMER_CREATE, _CLOCK_NANOSLEEP, _SETITIMER, _MEMBARRIER = (222, 107), (230, 115), (38, 103), (324, 283)
# sendto, sendmsg, sendmmsg, recvfrom, recvmsg, recvmmsg: their numbers, and which argument has the flags
_SENDING = (((44, 206), 3), ((46, 211), 2), ((307, 269), 3))
_RECEIVING = (((45, 207), 3), ((47, 212), 2), ((299, 243), 3))
_MESSAGES = _SENDING + _RECEIVING
_MEMFD_CREATE, _SETSOCKOPT = (319, 279), (54, 208)
_IOCTL, _PERSONALITY, _PRLIMIT64 = (16, 29), (135, 92), (302, 261)
_SCHED_SETSCHEDULER, PRCTL, _FCNTL = (144, 119), (157, 167), (72, 25)
_MMAP, _MADVISE, _FUTEX = (9, 222), (28, 233), (202, 98)
_PREADV2, _PWRITEV2 = (327, 286), (328, 287)
NEWEST_KNOWN = 456  # futex_requeue
NAMESPACE_FLAGS = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
CLONE_PARENT = 0x8000  # a sibling, thus a child of the agent: it would not be found when the program ends
_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902
# TCGETS, TCSETS, TCSETSW, TCSETSF; TIOCGPGRP, TIOCSPGRP, TIOCGWINSZ; FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_CONTROLS = (0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_PERSONALITY_QUERY = 0xFFFFFFFF
SCHED_OTHER = 0
# prctl: the signal at a parent's death, dumpable, name, seccomp mode (to ask), bounding set, timer slack,
# subreaper, no_new_privs, huge pages, ambient set, speculation (to ask), names of memory, a tracer
_OPTIONS = (1, 2, 3, 4, 15, 16, 21, 23, 24, 29, 30, 36, 37, 38, 39, 41, 42, 47, 52, 0x53564D41, 0x59616D61)
_O_DIRECT = (0x4000, 0x10000)  # on x86_64, on aarch64
_MSG_OOB = 1
_CLOCKS = (0, 1, 4, 7, 11)  # realtime, monotonic, monotonic raw, boot time, TAI
_ITIMER_REAL = 0
_ALL_PROCESSORS = (1, 2, 4)  # MEMBARRIER_CMD_GLOBAL, _GLOBAL_EXPEDITED, _REGISTER_GLOBAL_EXPEDITED
_MAP_HUGETLB, _MFD_HUGETLB = 0x40000, 0x4  # huge pages are counted by no control group
_SHARED_PAGES = (12, 20, 21, 25)  # MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE
_MADV_WILLNEED = (3,)
_FUTEX_PRIVATE, _FUTEX_CLOCK_REALTIME = 0x80, 0x100
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET = 0, 1, 9
_FUTEX_PI = (6, 7, 8, 11, 12, 13)  # LOCK_PI, UNLOCK_PI, TRYLOCK_PI, WAIT_REQUEUE_PI, CMP_REQUEUE_PI, LOCK_PI2
_SEND_BUFFER = (7, 32)  # SO_SNDBUF, SO_SNDBUFFORCE
_SOCKET_PROGRAMS = (26, 50, 51, 52)  # SO_ATTACH_FILTER, _BPF, _REUSEPORT_CBPF, _REUSEPORT_EBPF
# fcntl: F_GETLK, F_OFD_GETLK, _SETLK, _SETLKW; F_SETLEASE, F_NOTIFY, F_SET_RW_HINT, F_SET_FILE_RW_HINT
_SHARED = (5, 36, 37, 38, 1024, 1026, 1036, 1038)
_OWNER = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: signals to others when the worker reads
_LOCKS, _F_SETFL = (6, 7), 4  # F_SETLK, F_SETLKW


def rules(machine: str, memory_counted: bool) -> dict[int, bytes]:
    """The rules for all known calls that are not simply allowed, by number. Raises ValueError.

    `memory_counted`: whether the kernel limits the memory of all processes together. Otherwise files in
    memory that belong to no process (memfd_create) are refused, too, and sockets hold no more than by
    default.
    """
    if machine not in COLUMNS:
        raise ValueError(f"no system call filter for {machine}: expected x86_64 or aarch64")
    column = COLUMNS[machine]
    by_number = {
        _CLONE3: refuse(errno.ENOSYS),
        CLONE[column]: no_bit(0, NAMESPACE_FLAGS | CLONE_PARENT, errno.EPERM),
        _SOCKET[column]: only(0, _AF_UNIX, errno.EAFNOSUPPORT),
        _SOCKETPAIR[column]: only(0, _AF_UNIX, errno.EAFNOSUPPORT),
        _PRLIMIT64[column]: only(0, 0, errno.EPERM),
        _PERSONALITY[column]: only(0, _PERSONALITY_QUERY, errno.EPERM),
        _SCHED_SETSCHEDULER[column]: only(1, SCHED_OTHER, errno.EPERM),
        _IOCTL[column]: none_of(
            1,
            (_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP),
            errno.EPERM,
            otherwise=one_of(1, _CONTROLS, errno.ENOTTY),
        ),
        PRCTL[column]: one_of(0, _OPTIONS, errno.EINVAL),
        _SECCOMP[column]: refuse(errno.EINVAL),
        _OPENAT[column]: no_bit(2, _O_DIRECT[column], errno.EINVAL),
        _OPENAT2: refuse(errno.ENOSYS),
        _FCNTL[column]: _fcntl(_O_DIRECT[column]),
        _TIMER_CREATE[column]: one_of(0, _CLOCKS, errno.EINVAL),
        _CLOCK_NANOSLEEP[column]: one_of(0, _CLOCKS, errno.EINVAL),
        _SETITIMER[column]: only(0, _ITIMER_REAL, errno.EINVAL),
        _MEMBARRIER[column]: none_of(0, _ALL_PROCESSORS, errno.EINVAL),
        _SETSOCKOPT[column]: none_of(2, _SOCKET_PROGRAMS, errno.ENOPROTOOPT),
        _MMAP[column]: no_bit(3, _MAP_HUGETLB, errno.ENOMEM),
        _MEMFD_CREATE[column]: no_bit(1, _MFD_HUGETLB, errno.EINVAL),
        # MADV_WILLNEED would queue reads without end, and others wait for a page that is queued.
        _MADVISE[column]: none_of(2, _SHARED_PAGES, errno.EINVAL, otherwise=none_of(2, _MADV_WILLNEED, 0)),
        _FUTEX[column]: _futex(),
        _PREADV2[column]: only(5, 0, errno.EOPNOTSUPP),  # flags would reveal what is cached
        _PWRITEV2[column]: only(5, 0, errno.EOPNOTSUPP),
    }
    for message, flags in _MESSAGES:
        by_number[message[column]] = no_bit(flags, _MSG_OOB, errno.EOPNOTSUPP)
    if machine == "x86_64":  # aarch64 has openat only
        by_number[_OPEN] = no_bit(1, _O_DIRECT[column], errno.EINVAL)
    for table, error in (
        (REFUSED, errno.EPERM),
        (IGNORED, 0),
        (UNSUPPORTED, errno.EOPNOTSUPP),
        (COPIED_INSTEAD, errno.EINVAL),
    ):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                by_number.setdefault(number, refuse(error))
    if not memory_counted:
        by_number[_MEMFD_CREATE[column]] = refuse(errno.ENOSYS)
        without_programs = by_number[_SETSOCKOPT[column]]
        by_number[_SETSOCKOPT[column]] = none_of(2, _SEND_BUFFER, 0, otherwise=without_programs)
    allowed = {numbers[column] for numbers in ALLOWED.values()}
    unlisted = set(range(NEWEST_KNOWN + 1)) - allowed - by_number.keys()
    return by_number | dict.fromkeys(unlisted, refuse(errno.ENOSYS))


def _fcntl(o_direct: int) -> bytes:
    allowed = none_of(1, _SHARED + _OWNER, errno.EINVAL, otherwise=none_of(1, _LOCKS, 0))
    return switch(1, 0, {_F_SETFL: no_bit(2, o_direct, errno.EINVAL)}, allowed)


def _futex() -> bytes:
    """Private futexes, and of shared ones what C libraries use: waiting for one, waking some.

    None with priority inheritance, private or not.

    A shared futex can lie in a page of a system file, which other boxes map as well. With bit sets, or with
    moves to other futexes, its waiters could be distinguished. Waiting and waking cannot be refused: the end
    of a thread wakes the futex that holds its thread id, and semaphores between processes are made of it.
    """
    waits = (_FUTEX_WAIT, _FUTEX_WAIT | _FUTEX_CLOCK_REALTIME, _FUTEX_WAKE)
    timed = (_FUTEX_WAIT_BITSET, _FUTEX_WAIT_BITSET | _FUTEX_CLOCK_REALTIME)
    cases = dict.fromkeys(waits, ALLOW) | dict.fromkeys(timed, only(5, 0xFFFFFFFF, errno.ENOSYS))
    others = switch(1, _FUTEX_PRIVATE, cases, refuse(errno.ENOSYS))
    flags = (0, _FUTEX_PRIVATE, _FUTEX_CLOCK_REALTIME, _FUTEX_PRIVATE | _FUTEX_CLOCK_REALTIME)
    inheriting = [operation | flag for operation in _FUTEX_PI for flag in flags]
    return none_of(1, inheriting, errno.ENOSYS, otherwise=others)
