"""Closes or resets what the sessions of a box share with each other or with other boxes, besides /box.

- Namespaces (bubblewrap): the devices are the host's, so they are mounted read-only: bots can use them, but
  not change their times. Everything else is mounted afresh for each session.
- Uids (Docker): the devices are the container's. The agent owns them and resets their times after each
  session. What can be neither reset nor closed is compared: if a session has changed it, its box is closed.
  So are the times of devices of the host, which an engine without root shows in a container. Counters of the
  container are hidden where the agent may do that.
"""

from __future__ import annotations

import os
import stat

from . import kernel

_DEV = "/dev"
_BOX = "/box"
_COUNTERS = "/sys/fs/cgroup"
# How many a session may create (threads included) before its box is closed. Pids and inode numbers count
# upwards, so a later session could infer how many there were.
_MOST_PROCESSES = 4096
_MOST_FILES = 16384

_reset_paths: list[str] = []  # paths whose times are reset
_foreign_devices: list[str] = []  # devices whose times cannot be reset
_last_times: list[tuple[int, int]] = []  # of these
_last_nice = ""  # the nice value of this box's autogroup
_last_process = 0
_last_file = 0


def close_to_bots(namespaces: bool) -> None:
    """Close what can be closed. Called once, when the box is opened. Raises OSError."""
    if namespaces:
        _mount_devices_read_only()
        return
    for path in (f"{_DEV}/pts/ptmx", f"{_DEV}/tty"):  # terminals are numbered machine-wide
        _set_mode(path, 0)
    for path in (f"{_DEV}/mqueue", _COUNTERS):
        _set_mode(path, 0o700)
    for entry in os.scandir(_DEV):
        if _is_device(entry):
            is_own = entry.stat(follow_symlinks=False).st_uid == os.getuid()
            (_reset_paths if is_own else _foreign_devices).append(entry.path)
    _reset_paths.append(_BOX)
    reset()


def _set_mode(path: str, mode: int) -> None:
    try:  # noqa: SIM105 (contextlib is not loaded here)
        os.chmod(path, mode)
    except OSError:  # missing, or (cgroup version 2) it cannot be hidden: docs/explanations/security.md
        pass


def _mount_devices_read_only() -> None:
    flags = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID
    for entry in os.scandir(_DEV):
        if _is_device(entry):
            kernel.mount("none", entry.path, "", flags)


def _is_device(entry: os.DirEntry[str]) -> bool:
    return stat.S_ISCHR(entry.stat(follow_symlinks=False).st_mode)


def reset() -> bool:
    """Undo what a session did. False if something is left that the next one could see."""
    global _last_nice, _last_process, _last_file, _last_times
    before, _last_nice = _last_nice, _autogroup_nice()
    process, _last_process = _last_process, _newest_process()
    file, _last_file = _last_file, _newest_file()
    times, _last_times = _last_times, [_times(path) for path in _foreign_devices]
    for path in _reset_paths:
        os.utime(path, ns=(0, 0))
    within_limits = _last_process - process <= _MOST_PROCESSES and _last_file - file <= _MOST_FILES
    if not before:
        return True  # the box was just opened
    return before == _last_nice and within_limits and times == _last_times


def _times(path: str) -> tuple[int, int]:
    """When it was last read and written, as far as that is noted, in nanoseconds."""
    status = os.stat(path)
    return status.st_atime_ns, status.st_mtime_ns


def _autogroup_nice() -> str:
    """The nice value of the autogroup of this box's processes, which any of them can raise."""
    try:
        with open("/proc/self/autogroup") as file:
            return file.read().rpartition(" ")[2] or "none"
    except OSError:  # a kernel without autogroups
        return "none"


def _newest_file() -> int:
    """The inode number of a file made now: tmpfs counts upwards."""
    path = f"{_BOX}/.newest"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
    try:
        return os.fstat(fd).st_ino
    finally:
        os.close(fd)
        os.unlink(path)


def _newest_process() -> int:
    with open("/proc/loadavg") as file:
        return int(file.read().split()[-1])
