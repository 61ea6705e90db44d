"""The system call filter as such; what it does to bots is tested in tests/hostile."""

import errno
import json
import re
import struct
from functools import cache

import pytest

from sandbox.backends import seccomp
from sandbox.backends.seccomp_allowed import ALLOWED
from sandbox.backends.seccomp_policy import COPIED_INSTEAD, IGNORED, REFUSED, UNSUPPORTED

# What the engine's own profile refuses to containers without capabilities: the table in its manual.
REFUSED_BY_DOCKER = set(
    re.findall(
        r"\w+",
        """
    acct add_key bpf clock_adjtime clock_settime clone create_module delete_module finit_module
    get_kernel_syms get_mempolicy init_module ioperm iopl kcmp kexec_file_load kexec_load keyctl
    lookup_dcookie mbind mount move_pages nfsservctl open_by_handle_at perf_event_open personality
    pivot_root process_vm_readv process_vm_writev ptrace query_module quotactl reboot request_key
    set_mempolicy setns settimeofday stime swapon swapoff sysfs _sysctl umount umount2 unshare uselib
    userfaultfd ustat vm86 vm86old
        """,
    )
)
ONLY_IN_32_BITS = {"stime", "umount", "vm86", "vm86old"}
BY_ARGUMENT = {"clone", "personality"}


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("counted", [True, False])
def test_every_path_through_the_program_ends_in_a_decision(machine, counted):
    code = instructions(seccomp.program(machine, counted))
    assert len(code) <= 4096, "the kernel takes no more"
    for index, (operation, when_true, when_false, value) in enumerate(code):
        if operation == 0x05:  # a jump without a condition
            assert index + 1 + value < len(code)
        elif operation & 7 == 5:
            assert max(index + 1 + when_true, index + 1 + when_false) < len(code)
        elif operation != 6:
            assert index + 1 < len(code)
    assert code[-1][0] == 6


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("counted", [True, False])
def test_both_halves_together_decide_as_the_whole_does(machine, counted):
    """And the first leaves an agent what it needs to make namespaces."""
    audit = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    whole, halves = seccomp.program(machine, counted), seccomp.split(machine, counted)
    for number in range(500):
        for first in (0, 1, 2, 0x10000000, 0x20000000, 0x5412, 62):
            decisions = [decided(half, audit, number, (first, first)) for half in halves]
            refusals = [decision for decision in decisions if decision != 0x7FFF0000] or [0x7FFF0000]
            assert decided(whole, audit, number, (first, first)) in refusals
            assert len(set(refusals)) == 1, "the kernel takes the strictest, here they do not differ"
    unshare = {"x86_64": 272, "aarch64": 97}[machine]
    assert decided(halves[0], audit, unshare, (0x20000000, 0)) == 0x7FFF0000
    assert decided(halves[1], audit, unshare, (0x20000000, 0)) != 0x7FFF0000


KEY = 0x1234567890ABCDEF


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("counted", [True, False])
def test_with_a_key_rooms_can_be_made_and_all_else_is_as_without(machine, counted):
    audit = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    whole, keyed = seccomp.program(machine, counted), seccomp.with_bypass_key(KEY, machine, counted)
    rooms = {"x86_64": {272, 308, 165}, "aarch64": {97, 268, 40}}[machine]  # unshare, setns, mount
    for number in range(500):
        for last in (0, KEY, KEY ^ 1, KEY ^ (1 << 63), KEY & 0xFFFFFFFF):
            arguments = (0x20000000, 1, 0, 0, 0, last)
            opened = number in rooms and last == KEY
            expected = 0x7FFF0000 if opened else decided(whole, audit, number, arguments)
            assert decided(keyed, audit, number, arguments) == expected


@cache
def instructions(program):
    return [struct.unpack("<HBBI", program[start : start + 8]) for start in range(0, len(program), 8)]


def test_an_unknown_machine_is_refused():
    with pytest.raises(ValueError, match="expected x86_64 or aarch64"):
        seccomp.program("riscv64")


def test_the_profile_for_docker_refuses_the_same_calls():
    profile = json.loads(seccomp.docker_profile())
    refused = {name for rule in profile["syscalls"] for name in rule["names"]}
    assert {"unshare", "mount", "ptrace", "bpf", "io_uring_setup", "clone3", "keyctl"} <= refused


def test_whatever_the_engines_own_profile_refuses_is_refused_here_too():
    profile = json.loads(seccomp.docker_profile())
    refused = {name for rule in profile["syscalls"] for name in rule["names"] if "args" not in rule}
    assert refused >= REFUSED_BY_DOCKER - ONLY_IN_32_BITS - BY_ARGUMENT


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("fcntl", (3, 3), True),  # F_GETFL
        ("fcntl", (3, 6), False),  # F_SETLK: succeeds and does nothing
        ("fcntl", (3, 4), True),  # F_SETFL
        ("fcntl", (3, 8), False),  # F_SETOWN
        ("fcntl", (3, 1031), True),  # F_SETPIPE_SZ
        ("fcntl", (3, 1036), False),  # F_SET_RW_HINT
        ("mmap", (0, 4096, 3, 0x22), True),
        ("mmap", (0, 4096, 3, 0x40022), False),  # MAP_HUGETLB
        ("memfd_create", (0, 1), True),
        ("memfd_create", (0, 4), False),  # MFD_HUGETLB
        ("madvise", (0, 4096, 4), True),  # MADV_DONTNEED
        ("madvise", (0, 4096, 12), False),  # MADV_MERGEABLE
        ("preadv2", (3, 0, 1, 0, 0, 0), True),
        ("preadv2", (3, 0, 1, 0, 0, 8), False),  # RWF_NOWAIT
        ("futex", (0, 0x80 | 9, 0, 0, 0, 1), True),  # of the process's own
        ("futex", (0, 0x80 | 4), True),
        ("futex", (0, 0), True),  # shared: to wait
        ("futex", (0, 1, 1), True),  # to wake
        ("futex", (0, 9 | 0x100, 0, 0, 0, 0xFFFFFFFF), True),
        ("futex", (0, 9, 0, 0, 0, 1), False),  # with a bit set
        ("futex", (0, 10, 1, 0, 0, 0xFFFFFFFF), False),  # FUTEX_WAKE_BITSET
        ("futex", (0, 4), False),  # FUTEX_CMP_REQUEUE
        ("fcntl", (3, 5), False),  # F_GETLK
        ("fcntl", (3, 1026), False),  # F_NOTIFY
        ("fcntl", (3, 1026 | 1 << 32), False),  # the kernel looks at the low half only, too
        ("prctl", (15, 0), True),
        ("prctl", (62, 1), False),
        ("prctl", (67, 1), False),  # PR_SET_MEMORY_MERGE
        ("setpriority", (0, 0), False),
        ("sched_setscheduler", (17, 0), True),
        ("sched_setscheduler", (0, 1), False),
        ("ioctl", (0, 0x5401), True),
        ("ioctl", (0, 0x5412), False),
        ("ioctl", (1, 0x8901), False),  # FIOSETOWN
        ("ioctl", (1, 0x541B), True),  # FIONREAD
        ("ioctl", (1, 0xC020660B), False),  # FS_IOC_FIEMAP
        ("ioctl", (1, 0x5401 | 1 << 32), True),  # the kernel looks at the low half only, too
        ("prctl", (22, 2), False),  # PR_SET_SECCOMP
        ("prctl", (35, 1), False),  # PR_SET_MM
        ("fcntl", (3, 4, 0x14000), False),  # F_SETFL with O_DIRECT of either architecture
        ("openat", (3, 0, 0x14000), False),
        ("openat", (3, 0, 0x80000), True),
        ("openat2", (3, 0, 0, 24), False),
        ("setitimer", (0, 0), True),
        ("setitimer", (2, 0), False),  # ITIMER_PROF
        ("timer_create", (1, 0, 0), True),
        ("timer_create", (2, 0, 0), False),  # CLOCK_PROCESS_CPUTIME_ID
        ("timer_create", (0xFFFFFFF6, 0, 0), False),  # that of a process
        ("clock_nanosleep", (1, 0), True),
        ("clock_nanosleep", (3, 0), False),
        ("membarrier", (8, 0), True),  # of the process itself
        ("membarrier", (1, 0), False),
        ("sendmsg", (3, 0, 0), True),
        ("sendmsg", (3, 0, 1), False),  # MSG_OOB
        ("recvfrom", (3, 0, 1, 1), False),
        ("setsockopt", (3, 1, 26), False),  # SO_ATTACH_FILTER
        ("setsockopt", (3, 1, 7), True),
        ("futex", (0, 0x80 | 6), False),  # FUTEX_LOCK_PI
        ("madvise", (0, 4096, 3), False),  # MADV_WILLNEED: succeeds and does nothing
        ("splice", (0, 0, 1, 0, 10, 0), False),
        ("sendfile", (1, 0, 0, 10), False),
        ("io_setup", (1, 0), False),
        ("remap_file_pages", (0, 4096, 0, 0, 0), False),
        ("mincore", (0, 4096, 0), False),
        ("getpid", (), True),
        ("socket", (1, 1), True),
        ("socket", (16, 3), False),
        ("clone", (17, 0), True),
        ("clone", (0x10000000 | 17, 0), False),
        ("prlimit64", (0, 7), True),
        ("prlimit64", (1, 7), False),
    ],
)
def test_calls_that_are_judged_by_an_argument(machine, name, arguments, allowed):
    column = ("x86_64", "aarch64").index(machine)
    number = NUMBERS[name][column]
    decision = decided(seccomp.program(machine), (0xC000003E, 0xC00000B7)[column], number, arguments)
    assert (decision == 0x7FFF0000) == allowed
    assert decision >> 16 in (0x7FFF, 0x0005), "refused, not killed"


NUMBERS = {
    "fcntl": (72, 25),
    "prctl": (157, 167),
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "ioctl": (16, 29),
    "socket": (41, 198),
    "clone": (56, 220),
    "prlimit64": (302, 261),
    "mmap": (9, 222),
    "memfd_create": (319, 279),
    "madvise": (28, 233),
    "preadv2": (327, 286),
    "futex": (202, 98),
    "openat": (257, 56),
    "openat2": (437, 437),
    "setitimer": (38, 103),
    "timer_create": (222, 107),
    "clock_nanosleep": (230, 115),
    "membarrier": (324, 283),
    "sendmsg": (46, 211),
    "recvfrom": (45, 207),
    "setsockopt": (54, 208),
    "splice": (275, 76),
    "sendfile": (40, 71),
    "io_setup": (206, 0),
    "remap_file_pages": (216, 234),
    "mincore": (27, 232),
    "getpid": (39, 172),
}


@pytest.mark.parametrize(
    ("architecture", "number"),
    [(0x40000003, 20), (0xC000003E, 0x40000000 | 39), (0xC000003E, 0xFFFFFFFF), (0x40000028, 20)],
    ids=["32 bits", "x32", "minus one", "arm in 32 bits"],
)
def test_calls_by_the_numbers_of_another_architecture_end_the_process(architecture, number):
    assert decided(seccomp.program("x86_64"), architecture, number, (0, 0)) == 0x80000000


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_calls_that_are_in_no_list_are_unknown(machine):
    """Also the numbers that no kernel of today uses: gaps are filled by kernels of tomorrow."""
    audit, gap = {"x86_64": (0xC000003E, range(335, 424)), "aarch64": (0xC00000B7, range(295, 424))}[machine]
    for number in gap:
        assert decided(seccomp.program(machine), audit, number, (0, 0)) == 0x00050000 | errno.ENOSYS


@pytest.mark.parametrize("column", [0, 1])
def test_no_call_is_both_allowed_and_refused(column):
    tables = (ALLOWED, REFUSED, IGNORED, UNSUPPORTED, COPIED_INSTEAD)
    numbers = [call[column] for table in tables for call in table.values() if call[column] is not None]
    assert len(set(numbers)) == len(numbers)


def test_calls_that_are_newer_than_the_list_are_unknown():
    for number in (457, 500, 1 << 20):
        assert decided(seccomp.program("x86_64"), 0xC000003E, number, (0, 0)) == 0x00050000 | errno.ENOSYS


def decided(program, architecture, number, arguments):
    """What the kernel would decide: the classic BPF machine, as far as the program uses it."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(arguments + (0,) * 6)[:6])
    code = instructions(program)
    accumulator = at = 0
    while True:
        operation, when_true, when_false, value = code[at]
        if operation == 0x06:
            return value
        if operation == 0x20:
            accumulator = struct.unpack_from("<I", data, value)[0]
            at += 1
            continue
        if operation == 0x05:
            at += 1 + value
            continue
        taken = {0x15: accumulator == value, 0x25: accumulator > value, 0x45: bool(accumulator & value)}
        at += 1 + (when_true if taken[operation] else when_false)
