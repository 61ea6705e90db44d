"""The bound on what a box reads from disks. What it holds back is tried in tests/hostile/attacks/disk_*."""

from pathlib import Path

import pytest

from sandbox.api import Limits
from sandbox.backends.docker import Docker
from sandbox.boxes import cgroup, disk
from tests.support.cpu_load import ask

ECHO = "for line in iter(input, None): print(line, flush=True)"


def test_disks_are_whole_devices_that_hold_something():
    for number, path in disk.disks().items():
        folder = Path("/sys/dev/block", number).resolve()
        assert not (folder / "partition").exists()
        assert path.removeprefix("/dev/") == folder.name.replace("!", "/")
        assert int((folder / "size").read_text()) > 0


def test_a_group_bounds_every_disk():
    if not cgroup.has_disk_bound() or not disk.disks():
        pytest.skip("no group for a box bounds a disk here")
    group = cgroup.make(64 << 20, 10)
    assert group is not None
    try:
        names = ("io.max", "blkio.throttle.read_bps_device")
        texts = [
            path.read_text() for folder in group.folders for name in names if (path := folder / name).exists()
        ]
        assert len(texts) == 1
        assert {line.split()[0] for line in texts[0].splitlines()} == set(disk.disks())
    finally:
        group.remove()


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["docker"], indirect=True)
def test_a_container_starts_where_the_engine_does_not_know_the_disks(sandbox, artifacts):
    """An engine in a container of its own may have a /dev of its own."""
    engine = Docker()
    engine.disk_bound = {"device_read_bps": [{"Path": "/dev/unknown-disk", "Rate": disk.READ_BYTES}]}
    box = engine.open(artifacts(ECHO), limits=Limits())
    try:
        session = box.session()
        assert ask(session.start(), b"fine\n", 10.0).text == b"fine"
        session.close()
        assert engine.disk_bound == {}, "which the doctor reports"
    finally:
        box.close()
        engine.close()
