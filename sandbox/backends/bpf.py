"""A small assembler for classic BPF, as far as a system call filter needs it.

A *rule* is code that decides one system call and always ends in a decision. `program` combines rules into a
filter: an array of `struct sock_filter` for seccomp(2). Only the lower half of an argument is compared
(except in `only_key`), because the kernel itself ignores the upper half of these arguments.
"""

import errno
import struct
from collections.abc import Mapping, Sequence

Calls = dict[str, tuple[int, int | None]]  # by name: their numbers on x86_64 and aarch64
COLUMNS = {"x86_64": 0, "aarch64": 1}  # of pairs of system call numbers
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6] (little endian here)
_NR, _ARCH, _ARGS = 0, 4, 16
_LOAD, _RETURN = 0x20, 0x06
_JUMP, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_ANY_BIT = 0x05, 0x15, 0x25, 0x45
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_SIZE = 8  # bytes of an instruction


def _instruction(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, when_true, when_false, value)


def _load_argument(number: int, upper_half: bool = False) -> bytes:
    return _instruction(_LOAD, _ARGS + 8 * number + 4 * upper_half)


ALLOW = _instruction(_RETURN, _ALLOW)
KILL = _instruction(_RETURN, _KILL_PROCESS)


def refuse(error: int) -> bytes:
    """Fail with this errno; with 0 the call succeeds and does nothing."""
    return _instruction(_RETURN, _ERRNO | error)


def only(argument: int, value: int, error: int) -> bytes:
    """Allow the call if an argument is `value`."""
    return _load_argument(argument) + _instruction(_JUMP_EQUAL, value, 1, 0) + refuse(error) + ALLOW


def one_of(argument: int, values: Sequence[int], error: int) -> bytes:
    """Allow the call if an argument is one of the values."""
    return switch(argument, 0, dict.fromkeys(values, ALLOW), refuse(error))


def only_key(argument: int, key: int, error: int) -> bytes:
    """Allow the call if an argument is `key`: both halves are compared."""
    code = _load_argument(argument) + _instruction(_JUMP_EQUAL, key & 0xFFFFFFFF, 0, 3)
    code += _load_argument(argument, upper_half=True) + _instruction(_JUMP_EQUAL, key >> 32, 0, 1)
    return code + ALLOW + refuse(error)


def none_of(argument: int, values: Sequence[int], error: int, otherwise: bytes = ALLOW) -> bytes:
    """Refuse the call if an argument is one of the values."""
    checks = b""
    for left, value in enumerate(reversed(values)):
        checks = _instruction(_JUMP_EQUAL, value, left + len(otherwise) // _SIZE, 0) + checks
    return _load_argument(argument) + checks + otherwise + refuse(error)


def no_bit(argument: int, bits: int, error: int) -> bytes:
    """Refuse the call if one of the bits is set in an argument."""
    return _load_argument(argument) + _instruction(_JUMP_ANY_BIT, bits, 0, 1) + refuse(error) + ALLOW


def switch(argument: int, any_bit: int, cases: Mapping[int, bytes], otherwise: bytes) -> bytes:
    """Allow the call if a bit of `any_bit` is set in an argument; otherwise apply the rule of its value."""
    code = _load_argument(argument) + _instruction(_JUMP_ANY_BIT, any_bit, 0, 1) + ALLOW
    for value, rule in cases.items():
        code += _instruction(_JUMP_EQUAL, value, 0, len(rule) // _SIZE) + rule
    return code + otherwise


def program(machine: str, rules: Mapping[int, bytes], newest_known: int) -> bytes:
    """A filter that applies the rules, by system call number, and allows all other known calls.

    Calls newer than `newest_known` are unknown (ENOSYS). Calls of another architecture kill the process.
    """
    code = _instruction(_LOAD, _ARCH) + _instruction(_JUMP_EQUAL, _AUDIT_ARCH[machine], 1, 0) + KILL
    code += _instruction(_LOAD, _NR)
    if machine == "x86_64":
        code += _instruction(_JUMP_ABOVE, _X32 - 1, 0, 1) + KILL
    code += _instruction(_JUMP_ABOVE, newest_known, 0, 1) + refuse(errno.ENOSYS)
    return code + _tree(rules)


def _tree(rules: Mapping[int, bytes]) -> bytes:
    """A binary search: on installation the kernel evaluates the filter for every system call number."""
    numbers = sorted(rules)
    if len(numbers) <= 2:
        code = b""
        for number in numbers:
            code += _instruction(_JUMP_EQUAL, number, 0, len(rules[number]) // _SIZE) + rules[number]
        return code + ALLOW
    middle = len(numbers) // 2
    lower = _tree({number: rules[number] for number in numbers[:middle]})
    upper = _tree({number: rules[number] for number in numbers[middle:]})
    # Only an unconditional jump reaches further than 255 instructions.
    to_upper = _instruction(_JUMP_ABOVE, numbers[middle - 1], 0, 1)
    to_upper += _instruction(_JUMP, len(lower) // _SIZE)
    return to_upper + lower + upper
