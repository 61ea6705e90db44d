"""The system call filter of boxes, as classic BPF programs and as a profile for Docker.

Theory of operation.

Processes:
- A filter is installed before there is a bot. Every process of a session inherits it, and none can remove it
  (no_new_privs is set).
- The kernel translates a program each time it is installed, which is expensive. So as much as possible is
  installed only once, by the agent, in one of three ways.

The three ways:
- `program`: an agent that makes no namespaces (Docker) installs the whole filter, for itself as well.
- `split`: an agent that makes namespaces and forks bots installs all but what it needs for that. The first
  process of each session installs the rest.
- `with_bypass_key`: an agent that makes namespaces and only spawns programs installs the whole filter, which
  lets the calls pass that carry a key as an unused argument. Only the agent has the key: a program brings
  memory of its own.

Trust:
- The policy (seccomp_policy.py) says which calls are refused, and why; bpf.py assembles the programs.

Failure:
- Refused calls fail with an errno. A process that switches to another architecture's calls (32 bits, x32),
  whose numbers differ, is killed.
"""

import errno
import json
import platform

from sandbox.backends import bpf
from sandbox.backends.seccomp_policy import (
    CLONE,
    CLONE_PARENT,
    COPIED_INSTEAD,
    NAMESPACE_CALLS,
    NAMESPACE_FLAGS,
    NEWEST_KNOWN,
    PRCTL,
    REFUSED,
    SCHED_OTHER,
    UNSUPPORTED,
    rules,
)

_UNUSED_ARGUMENT = 5  # of the calls that make namespaces


def program(machine: str | None = None, memory_counted: bool = True) -> bytes:
    """The whole filter for this machine's (or the named) architecture: an array of `struct sock_filter`.

    `memory_counted`: whether the kernel limits the memory of all processes together. Raises ValueError for an
    architecture whose system calls are not known here.
    """
    machine = machine or platform.machine()
    return bpf.program(machine, rules(machine, memory_counted), NEWEST_KNOWN)


def split(machine: str | None = None, memory_counted: bool = True) -> tuple[bytes, bytes]:
    """The filter in two parts: for an agent that makes namespaces, and, in addition, for what it starts.

    The first one lets prctl pass, with which the second is installed.
    """
    machine = machine or platform.machine()
    everything = rules(machine, memory_counted)
    column = bpf.COLUMNS[machine]
    needed = {CLONE[column], PRCTL[column], *_namespace_calls(machine)}
    first = {number: rule for number, rule in everything.items() if number not in needed}
    second = {number: everything[number] for number in needed}
    return bpf.program(machine, first, NEWEST_KNOWN), bpf.program(machine, second, NEWEST_KNOWN)


def with_bypass_key(key: int, machine: str | None = None, memory_counted: bool = True) -> bytes:
    """The whole filter, for an agent that makes namespaces and starts nothing but programs.

    The calls that it needs pass if their sixth argument, which they do not have, is `key` (64 bits). No bot
    can read it in the agent's memory or guess it.
    """
    machine = machine or platform.machine()
    bypass = dict.fromkeys(_namespace_calls(machine), bpf.only_key(_UNUSED_ARGUMENT, key, errno.EPERM))
    return bpf.program(machine, rules(machine, memory_counted) | bypass, NEWEST_KNOWN)


def _namespace_calls(machine: str) -> list[int]:
    numbers = (REFUSED[name][bpf.COLUMNS[machine]] for name in NAMESPACE_CALLS)
    return [number for number in numbers if number is not None]


def docker_profile() -> str:
    """The refusals for a whole container, its agent included, as a seccomp profile for Docker (JSON)."""

    def rule(names: list[str], error: int) -> dict[str, object]:
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error}

    namespaces = {"index": 0, "value": NAMESPACE_FLAGS, "op": "SCMP_CMP_MASKED_EQ"}
    unusual = {"index": 1, "value": SCHED_OTHER, "op": "SCMP_CMP_NE"}
    profile = {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": [
            rule(sorted(REFUSED), errno.EPERM),
            rule(["clone3"], errno.ENOSYS),
            rule(sorted(UNSUPPORTED), errno.EOPNOTSUPP),
            rule(sorted(COPIED_INSTEAD), errno.EINVAL),
            rule(["sched_setscheduler"], errno.EPERM) | {"args": [unusual]},
        ]
        + [
            rule(["clone"], errno.EPERM) | {"args": [namespaces | {"value": bit, "valueTwo": bit}]}
            for bit in (1 << position for position in range(32))
            if (NAMESPACE_FLAGS | CLONE_PARENT) & bit
        ],
    }
    return json.dumps(profile)
