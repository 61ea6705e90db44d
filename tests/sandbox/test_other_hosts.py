"""Hosts that are not this one: settings from a folder like theirs, system calls from Linux' headers."""

import re
from pathlib import Path

import pytest

from sandbox.backends.bpf import Calls
from sandbox.backends.namespaces import blocking_setting
from sandbox.backends.seccomp_allowed import ALLOWED
from sandbox.backends.seccomp_policy import REFUSED

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),  # arm64 has the generic numbers
}
OLD_NAMES = {"fstatat": "newfstatat", "fstat64": "fstat", "statfs64": "statfs"}


def host(root: Path, **settings: str) -> Path:
    for name, value in settings.items():
        file = root / "proc" / "sys" / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n")
    return root


def test_a_host_without_such_settings_forbids_nothing(tmp_path):
    assert blocking_setting(Path("/usr/bin/bwrap"), tmp_path) == ""


def test_ubuntu_24_gets_a_profile_for_this_bwrap_alone(tmp_path):
    ubuntu = host(
        tmp_path, kernel__apparmor_restrict_unprivileged_userns="1", user__max_user_namespaces="95000"
    )
    words = blocking_setting(Path("/srv/my agon/bwrap"), ubuntu)
    assert "/proc/sys/kernel/apparmor_restrict_unprivileged_userns" in words
    assert "/etc/apparmor.d/agon-bwrap" in words
    assert re.search(
        r'^profile agon-bwrap "/srv/my agon/bwrap" flags=\(unconfined\) \{\n  userns,\n\}$', words, re.M
    )
    assert "sysctl" not in words, "the restriction stays for all other programs"


def test_once_the_restriction_is_off_nothing_is_asked_for(tmp_path):
    assert blocking_setting(None, host(tmp_path, kernel__apparmor_restrict_unprivileged_userns="0")) == ""


@pytest.mark.parametrize(
    ("setting", "value"), [("kernel__unprivileged_userns_clone", "0"), ("user__max_user_namespaces", "0")]
)
def test_other_settings_are_named_with_their_remedy(tmp_path, setting, value):
    words = blocking_setting(None, host(tmp_path, **{setting: value}))
    assert setting.replace("__", "/") in words
    assert "sysctl" in words


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_of_system_calls_are_those_of_the_headers(machine):
    if not HEADERS[machine].exists():
        pytest.skip("the headers of Linux are not installed")
    text = HEADERS[machine].read_text()
    numbers = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    numbers |= {new: numbers[old] for old, new in OLD_NAMES.items() if old in numbers}
    column = list(HEADERS).index(machine)
    tables: list[Calls] = [ALLOWED, REFUSED]
    ours = {
        name: pair[column] for table in tables for name, pair in table.items() if pair[column] is not None
    }
    assert len(ours) > 200
    wrong = {
        name: (number, numbers[name])
        for name, number in ours.items()
        if name in numbers and numbers[name] != number
    }
    assert wrong == {}
    assert {name for name in ours if name not in numbers and ours[name] < 440} == set()
