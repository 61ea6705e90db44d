"""An engine without root: the agent is an ordinary user of the machine, and the devices are the machine's.

Such an engine needs version 2 of control groups, which the machines that run these tests may not have. So the
parts of the agent that notice it are called here.
"""

import os
import resource
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.inside import kernel, shared, uids, workspace

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root makes devices and processes of others")
NOBODY = 65534
CLONE_NEWUSER = 0x10000000


@pytest.fixture
def devices(tmp_path, monkeypatch):
    """A device of the machine's root and one of the agent, in the place of /dev."""
    folder = tmp_path / "dev"
    folder.mkdir()
    for name, owner in (("null", NOBODY), ("zero", os.getuid())):
        os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.chown(folder / name, owner, -1)
    (tmp_path / "box").mkdir()
    for name, value in (("_DEV", folder), ("_BOX", tmp_path / "box"), ("_COUNTERS", tmp_path)):
        monkeypatch.setattr(shared, name, str(value))
    for name, value in (("_reset_paths", []), ("_foreign_devices", []), ("_last_nice", "")):
        monkeypatch.setattr(shared, name, value)
    return folder


def test_a_device_of_the_machine_that_a_session_has_touched_closes_its_box(devices):
    shared.close_to_bots(namespaces=False)
    assert shared.reset()
    (devices / "null").write_bytes(b"what is written there leaves no trace")
    assert shared.reset()
    os.utime(devices / "null", ns=(1, 1))  # "now" may still be the tick of the clock in which it was made
    assert not shared.reset()


def test_a_device_of_the_agent_is_reset_instead(devices):
    shared.close_to_bots(namespaces=False)
    os.utime(devices / "zero")
    assert shared.reset()
    assert (devices / "zero").stat().st_mtime == 0


def in_child(act) -> str:
    """What it returns in a process of its own."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            os.write(writing, str(act()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as result:
        words = result.read()
    os.wait()
    return words


@pytest.mark.parametrize(("user", "is_root"), [(0, True), (NOBODY, False)])
def test_user_0_of_a_container_may_be_an_ordinary_user_of_the_machine(user, is_root):
    def asked_in_a_container():
        os.setresuid(user, user, user)
        kernel.set_dumpable(True)  # otherwise its files in /proc are root's
        kernel.unshare(CLONE_NEWUSER)
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        return os.getuid(), uids.is_root_of_machine()

    assert in_child(asked_in_a_container) == str((0, is_root))


@pytest.mark.parametrize(("is_counted", "bounds_the_agent"), [(True, False), (False, True)])
def test_the_other_processes_of_the_engines_user_do_not_count_for_a_bot(is_counted, bounds_the_agent):
    """With the bots' limit on its processes, an agent whose user had 40 others could start none."""
    setup = SimpleNamespace(
        uids=True,
        agent_is_counted=is_counted,
        processes=24,
        open_files=256,
        work=1 << 20,
        memory=1 << 30,
        memory_counted=True,
    )

    def limit():
        workspace.set_limits(setup)
        return resource.getrlimit(resource.RLIMIT_NPROC)[0]

    assert (in_child(limit) == str(setup.processes)) is bounds_the_agent
