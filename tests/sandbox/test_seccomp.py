"""The system call filter as such; what it does to bots is tested in tests/hostile."""

import json
import struct

import pytest

from sandbox import seccomp


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("counted", [True, False])
def test_every_path_through_the_program_ends_in_a_decision(machine, counted):
    code = [struct.unpack("<HBBI", part) for part in _parts(seccomp.program(machine, counted))]
    for index, (operation, when_true, when_false, _) in enumerate(code):
        if operation & 7 == 5:  # a jump
            assert max(index + 1 + when_true, index + 1 + when_false) < len(code)
        elif operation != 6:
            assert index + 1 < len(code)
    assert code[-1][0] == 6


def _parts(program):
    return [program[start : start + 8] for start in range(0, len(program), 8)]


def test_an_unknown_machine_is_refused():
    with pytest.raises(ValueError, match="expected x86_64 or aarch64"):
        seccomp.program("riscv64")


def test_the_profile_for_docker_refuses_the_same_calls():
    profile = json.loads(seccomp.docker_profile())
    refused = {name for rule in profile["syscalls"] for name in rule["names"]}
    assert {"unshare", "mount", "ptrace", "bpf", "io_uring_setup", "clone3", "keyctl"} <= refused
