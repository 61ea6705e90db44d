"""The surroundings of one session: made before its bots start, gone after its end.

Theory of operation. /box is the only place that a bot can write to: one tmpfs of limited size and
number of files, with the work folder, /tmp, /dev/shm (both links into it) and the game's file. It
belongs to one session only, in one of two ways:

* namespaces (bubblewrap): the keeper is PID 1 of a fresh pid namespace and here enters a fresh mount
  and ipc namespace with a new tmpfs and a new /proc. All of it ends with the keeper. Its privileges
  are those of the box's own user namespace; it gives them up before any bot runs.
* uids (Docker): there is one /box for the life of the container. Everything in it belongs to the
  session's uid and is removed at its end, acting as that uid (the agent has no right to override
  file permissions). A uid is used once.
"""

from __future__ import annotations

import os
import resource

from . import kernel, uids
from .setup import FILES, GAME, SHM, TMP, WORK, Setup

_INODES = 4096


def enter(setup: Setup, building: bool = False) -> int | None:
    """Make the session's room and confine this process to it. Returns the bots' uid (None: our own)."""
    _prefer_for_oom_kill()
    uid = uids.fresh() if setup.uids else None
    if uid is None:
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC)
        options = f"size={setup.work},nr_inodes={_INODES},mode=0755"
        kernel.mount("tmpfs", "/box", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
        quiet = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("proc", "/proc", "proc", quiet | kernel.MS_RDONLY)
    with acting(uid):
        furnish(setup, building)
    confine(setup, uid)
    return uid


def confine(setup: Setup, uid: int | None, for_good: bool = False) -> None:
    """Put every limit on this process and all it starts; `for_good`: become `uid` as well."""
    _limit(setup)
    if uid is None:
        kernel.drop_capabilities()
    elif for_good:
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    kernel.no_new_privileges()
    kernel.dumpable(False)
    kernel.filter_system_calls(setup.filter)


def _prefer_for_oom_kill() -> None:
    """When memory runs out the kernel is to kill bots before the agent."""
    kernel.dumpable(True)  # or this file would not be ours; no bot is there yet
    fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    os.write(fd, b"1000")
    os.close(fd)


class acting:
    """`with acting(uid):` make and remove files as the bots' uid."""

    def __init__(self, uid: int | None) -> None:
        self._uid = uid

    def __enter__(self) -> None:
        if self._uid is not None:
            os.setegid(self._uid)
            os.seteuid(self._uid)

    def __exit__(self, *_: object) -> None:
        if self._uid is not None:
            os.seteuid(0)
            os.setegid(0)


def furnish(setup: Setup, building: bool = False) -> None:
    """The folders, and in the work folder the bot's files: small ones copied, big ones linked."""
    for folder in (WORK, TMP, SHM, GAME):
        os.mkdir(folder, 0o700)
    if building:
        _copy_tree(FILES, WORK)
    else:
        for name, mode, data in setup.small:
            _write(f"{WORK}/{name}", mode, data)
        for name in setup.linked:
            os.symlink(f"{FILES}/{name}", f"{WORK}/{name}")
    os.chdir(WORK)


def _write(path: str, mode: int, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        while data:
            data = data[os.write(fd, data) :]
    finally:
        os.close(fd)


def _copy_tree(source: str, target: str) -> None:
    for entry in os.scandir(source):
        goal = f"{target}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            os.mkdir(goal, 0o700)
            _copy_tree(entry.path, goal)
        else:
            with open(entry.path, "rb") as file:
                _write(goal, entry.stat().st_mode & 0o777, file.read())


def _limit(setup: Setup) -> None:
    """Limits that this process and all that it starts inherit; none of them can be raised again."""
    # In namespaces the agent and the keepers have the bots' uid, and count.
    processes = setup.processes if setup.uids else setup.processes + 4
    limits = {
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_NOFILE: setup.open_files,
        resource.RLIMIT_FSIZE: setup.work,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,
    }
    if not setup.memory_counted:
        # Not the address space: many runtimes reserve far more of it than they ever use.
        limits[resource.RLIMIT_DATA] = setup.memory
    if setup.cpu_s is not None:
        limits[resource.RLIMIT_CPU] = setup.cpu_s
    for what, most in limits.items():
        _, hard = resource.getrlimit(what)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (value, value))


def wipe(uid: int | None) -> bool:
    """Empty /box for the next session; True if nothing is left. In namespaces it goes by itself."""
    if uid is None:
        return True
    os.chdir("/")
    with acting(uid):
        _empty("/box")
    return not os.listdir("/box")


def _empty(top: str) -> None:
    """Remove everything below `top`, however deep: folders are moved up before they are emptied."""
    base = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    number = 0
    pending = _clear(base, base, 0)
    while pending:
        name = pending.pop()
        os.chmod(name, 0o700, dir_fd=base)
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=base)
        number += 1
        pending += _clear(folder, base, number)
        os.close(folder)
        os.rmdir(name, dir_fd=base)
    os.close(base)


def _clear(folder: int, base: int, number: int) -> list[str]:
    """Unlink the files of a folder and move its folders up to `base`; returns their new names."""
    moved = []
    for index, entry in enumerate(os.listdir(folder)):
        try:
            os.unlink(entry, dir_fd=folder)
        except IsADirectoryError:
            os.chmod(entry, 0o700, dir_fd=folder)  # a folder that is moved must be writable
            name = f".gone-{os.getpid()}-{number}-{index}"
            os.rename(entry, name, src_dir_fd=folder, dst_dir_fd=base)
            moved.append(name)
    return moved
