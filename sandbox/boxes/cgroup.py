"""A control group for a box, where this process may make one.

It limits the memory and processes of all bots together, bounds what they read from disks (disk.py), and gives
each box the same share of the processors, however many processes run in it. Where the kernel counts pressure
by group (PSI), it also shows how long the box was kept from running.

cgroup version 1 has a tree for each controller, version 2 one tree for all. In both, a group for a box is
made below this process's own group (version 2: beside it too, since a group that contains processes cannot
delegate controllers), removed with the box, and named after its worker, so that groups of dead workers can be
found. Where nothing may be written there are no groups: `available()` is empty.

Pressure is counted in the tree of version 2 only. Most hosts with version 1 have that, too, as `unified`.
"""

import contextlib
import errno
import itertools
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.boxes import disk
from sandbox.leftovers import alive, owner_of, this_process

SHARES = 1024  # of the processors, for each box: as for a process outside of all groups
_WEIGHT = 100  # the same in version 2
_ROOT = Path("/sys/fs/cgroup")
_STALL_FILES = ("io.pressure", "memory.pressure")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class ControlGroup:
    """A control group: one folder (version 2), or one in each controller's tree (version 1)."""

    folders: tuple[Path, ...]
    kills: Path  # the file that counts kills for lack of memory
    processor: Path | None  # the file that counts processor time
    pressure: Path | None  # the file for PressureFiles

    @property
    def procs(self) -> tuple[str, ...]:
        return tuple(str(folder / "cgroup.procs") for folder in self.folders)

    def remove(self) -> None:
        """Remove the group. Processes in it that were killed may need a moment to end."""
        deadline = time.monotonic() + 2
        for folder in self.folders:
            while folder.is_dir():
                try:
                    folder.rmdir()
                except OSError as error:
                    if error.errno != errno.EBUSY or time.monotonic() > deadline:
                        break  # gone, or still busy: remove_leftover_groups() tries again
                    time.sleep(0.002)


def available() -> tuple[Path, ...]:
    """The folders in which groups can be made: one (version 2), two to six (version 1), or none."""
    return _version_2() or tuple(_version_1().values())


def has_cpu_share() -> bool:
    """Whether a group that is made here gets its own share of CPU time."""
    group = _version_2()
    return "cpu" in _delegated(group[0]) if group else "cpu" in _version_1()


def has_disk_bound() -> bool:
    """Whether a group that is made here bounds what its processes read from disks."""
    group = _version_2()
    return "io" in _delegated(group[0]) if group else "blkio" in _version_1()


def is_outside_groups() -> bool:
    """Whether this process is in no group that has its own share of CPU time.

    Then the kernel gives each session (setsid) an equal share if sched_autogroup_enabled is set.
    """
    own = _ROOT / "cpu" / _own_path("cpu").lstrip("/")
    if own.is_dir():
        return (own / "release_agent").exists()  # only the root of the tree has it
    own = _ROOT / _own_path("").lstrip("/")
    above = [folder for folder in (own, *own.parents) if folder.is_relative_to(_ROOT)]
    return not any((folder / "cpu.weight").exists() for folder in above)


def _version_2() -> tuple[Path, ...]:
    if not (_ROOT / "cgroup.controllers").is_file():
        return ()
    own = _ROOT / _own_path("").lstrip("/")
    for folder in (own, own.parent):
        if (
            _delegated(folder) >= {"memory", "pids"}
            and _writable(folder)
            and _writable(folder / "cgroup.procs")
        ):
            return (folder,)
    return ()


def _delegated(folder: Path) -> set[str]:
    return set(_text(folder / "cgroup.subtree_control").split())


def _version_1() -> dict[str, Path]:
    """The folder of each controller: memory and pids (both or none), those of CPU time, and that of disks.

    The last, without a controller, is in the tree of version 2, for the pressure.
    """
    folders: dict[str, Path] = {}
    for controller in ("memory", "pids", "cpuacct", "cpu", "blkio"):
        folder = _ROOT / controller / _own_path(controller).lstrip("/")
        if (folder / "cgroup.procs").is_file() and _writable(folder):
            folders[controller] = folder
        elif controller in ("memory", "pids"):
            return {}
    if "cpu" in folders and "cpuacct" in folders and folders["cpu"].samefile(folders["cpuacct"]):
        folders["cpu"] = folders.pop("cpuacct")  # two names of one hierarchy
    unified = _ROOT / "unified" / _own_path("").lstrip("/")
    if _pressure_file(unified) is not None and _writable(unified):
        folders[""] = unified
    return folders


def _own_path(controller: str) -> str:
    """The path of this process in a controller's tree ("": version 2)."""
    for line in _text(Path("/proc/self/cgroup")).splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            return path
    return "/"


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def machine_mib() -> int:
    """The memory that the group of this process can have, at most that of the machine."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    own = _ROOT / _own_path("").lstrip("/") / "memory.max"
    own_1 = _ROOT / "memory" / _own_path("memory").lstrip("/") / "memory.limit_in_bytes"
    limits = [int(text) for text in (_text(own).strip(), _text(own_1).strip()) if text.isdigit()]
    return min([machine, *limits]) >> 20


def make(memory: int, processes: int) -> ControlGroup | None:
    """A group with these limits (bytes; processes and threads); None if none can be made."""
    name = f"agon-{this_process()}-{next(_numbers)}"
    folders: list[Path] = []
    try:
        for parent in available():
            folder = parent / name
            folder.mkdir()
            folders.append(folder)
        if not folders:
            return None
        return (
            _limit_2(folders[0], memory, processes)
            if len(folders) == 1
            else _limit_1(folders, memory, processes)
        )
    except OSError:
        for folder in folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return None


def _limit_1(folders: list[Path], memory: int, processes: int) -> ControlGroup:
    (folders[0] / "memory.limit_in_bytes").write_text(str(memory))
    swap = folders[0] / "memory.memsw.limit_in_bytes"
    if swap.exists():
        swap.write_text(str(memory))
    (folders[1] / "pids.max").write_text(str(processes))
    counting = [path for folder in folders[2:] if (path := folder / "cpuacct.usage").exists()]
    for folder in folders[2:]:
        if (weight := folder / "cpu.shares").exists():
            weight.write_text(str(SHARES))
        disk.bound(folder)
    processor = counting[0] if counting else None
    return ControlGroup(
        tuple(folders), folders[0] / "memory.oom_control", processor, _pressure_file(folders[-1])
    )


def _limit_2(folder: Path, memory: int, processes: int) -> ControlGroup:
    (folder / "memory.max").write_text(str(memory))
    if (folder / "memory.swap.max").exists():
        (folder / "memory.swap.max").write_text("0")
    (folder / "pids.max").write_text(str(processes))
    if (folder / "cpu.weight").exists():
        (folder / "cpu.weight").write_text(str(_WEIGHT))
    disk.bound(folder)
    return ControlGroup((folder,), folder / "memory.events", folder / "cpu.stat", _pressure_file(folder))


def _pressure_file(folder: Path) -> Path | None:
    file = folder / "cpu.pressure"
    return file if "\nfull " in _text(file) else None  # Linux 5.13 or later


def pressure_of(pid: int) -> Path | None:
    """The file for PressureFiles of the group that a process is in; None if there is none."""
    for line in _text(Path(f"/proc/{pid}/cgroup")).splitlines():
        if line.startswith("0::"):
            path = line.removeprefix("0::").lstrip("/")
            return _pressure_file(_ROOT / "unified" / path) or _pressure_file(_ROOT / path)
    return None


class PressureFiles:
    """Open pressure files of a group: see Documentation/accounting/psi.rst of the kernel."""

    def __init__(self, file: Path | None, processors: int | None = None) -> None:
        """file: the group's `cpu.pressure`; None if it has no pressure files.

        processors: how many the group may use; as many as this process if None.
        """
        self._cpu = -1
        self._stalls: list[int] = []
        if file is None:
            return
        # With several processors the kernel only adds up what it counted on each of them, by weight.
        if (processors or len(os.sched_getaffinity(0))) == 1:
            self._cpu = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        for name in _STALL_FILES:
            with contextlib.suppress(FileNotFoundError):
                self._stalls.append(os.open(file.with_name(name), os.O_RDONLY | os.O_CLOEXEC))

    @classmethod
    def of(cls, cpu: int, stalls: Sequence[int]) -> "PressureFiles":
        """Those that another process has opened. cpu: -1 if there is none."""
        files = cls(None)
        files._cpu, files._stalls = cpu, list(stalls)
        return files

    @property
    def cpu(self) -> int:
        return self._cpu

    @property
    def descriptors(self) -> list[int]:
        return [fd for fd in (self._cpu, *self._stalls) if fd >= 0]

    def preempted_us(self) -> int | None:
        """How long the group was kept from running: some process was ready, and none was running.

        In microseconds; None if this process may use several processors, because that is inexact. Less than a
        tick since the last read, by any process, is lost: the kernel weighs what it counted by whole ticks
        (collect_percpu_times() in kernel/sched/psi.c).
        """
        if self._cpu < 0:
            return None
        _, _, full = os.pread(self._cpu, 256, 0).partition(b"full ")
        return int(full.rpartition(b"total=")[2])

    def stalled_us(self) -> int | None:
        """How long some process of the group waited for the disk or for memory, in microseconds.

        None if the kernel does not count it.
        """
        if len(self._stalls) < len(_STALL_FILES):
            return None
        some = [os.pread(fd, 256, 0).partition(b"\n")[0] for fd in self._stalls]
        return sum(int(line.rpartition(b"total=")[2]) for line in some)

    def close(self) -> None:
        for fd in self.descriptors:
            os.close(fd)
        self._cpu, self._stalls = -1, []


def remove_leftover_groups() -> None:
    """Remove the groups of dead workers, and kill any process that is still in them."""
    for parent in available():
        for folder in parent.glob("agon-*"):
            process = owner_of(folder.name)
            if process and not alive(process):
                for pid in _text(folder / "cgroup.procs").split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                ControlGroup((folder,), folder, None, None).remove()
