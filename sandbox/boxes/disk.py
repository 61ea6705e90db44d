"""The bound on what a box may read from disks and write to them.

What bots write is in memory, and most of what they read is cached. A bot can still have its pages evicted, at
the memory limit of its box, and read them again without end. The bound leaves the rest of the disk to others,
and is far above what the start of a runtime needs whose files are not cached.
"""

import contextlib
from pathlib import Path

READ_BYTES, WRITE_BYTES = 64 << 20, 8 << 20  # a second, from and to each disk
READS, WRITES = 2000, 500  # operations a second
_DISKS = Path("/sys/block")
_IN_MEMORY = ("ram", "zram")


def disks() -> dict[str, str]:
    """The disks of this machine, without their partitions: the device's path by its number, as "8:0".

    All of them: stacked file systems do not show which disks hold the files of a box.
    """
    result = {}
    for folder in _DISKS.glob("*"):
        with contextlib.suppress(OSError):  # the disk has been removed meanwhile
            if not folder.name.startswith(_IN_MEMORY) and int((folder / "size").read_text()):
                number = (folder / "dev").read_text().strip()
                result[number] = f"/dev/{folder.name.replace('!', '/')}"
    return result


def bound(folder: Path) -> None:
    """Set the bound for a control group of version 2, or of the tree of `blkio`; any other is left as it is.

    So is a disk that takes no bound, such as one without a queue.
    """
    version_2 = folder / "io.max"
    limits = {
        "read_bps_device": READ_BYTES,
        "write_bps_device": WRITE_BYTES,
        "read_iops_device": READS,
        "write_iops_device": WRITES,
    }
    for number in disks():
        with contextlib.suppress(OSError):
            if version_2.exists():
                line = f"{number} rbps={READ_BYTES} wbps={WRITE_BYTES} riops={READS} wiops={WRITES}"
                version_2.write_text(line)
                continue
            for name, limit in limits.items():
                if (file := folder / f"blkio.throttle.{name}").exists():
                    file.write_text(f"{number} {limit}")


def engine_settings() -> dict[str, list[dict[str, object]]]:
    """The same bound for the containers of an engine, as keywords of docker-py."""
    paths = disks().values()

    def limits(rate: int) -> list[dict[str, object]]:
        return [{"Path": path, "Rate": rate} for path in paths]

    return {
        "device_read_bps": limits(READ_BYTES),
        "device_write_bps": limits(WRITE_BYTES),
        "device_read_iops": limits(READS),
        "device_write_iops": limits(WRITES),
    }
