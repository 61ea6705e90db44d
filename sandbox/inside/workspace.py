"""The workspace of one session, made before its bots start and removed after its end.

/box is the only place that a bot can write to: one tmpfs of limited size and number of files, with the work
folder, /tmp and /dev/shm (links into it) and the game's file. Sessions are separated in one of two ways:

- namespaces (bubblewrap): the agent enters a fresh mount namespace with a new tmpfs and the /proc of a fresh
  pid namespace, and leaves it when it has started the bot. All of it ends with the pid namespace. The agent's
  privileges are those of the box's own user namespace; no bot keeps any. The ipc namespace is the box's, and
  nothing can be made in it (backends/seccomp_policy.py).
- uids (Docker): there is one /box for the life of the container. Everything in it belongs to the session's
  uid and is removed at the end of the session with that uid's rights, since the agent has no right to
  override file permissions. A uid is used only once.
"""

from __future__ import annotations

import errno
import os
import resource
import time

from . import kernel, shared
from .setup import FILES, GAME, SHM, TMP, WORK, Setup

INODES = 4096  # files and folders in /box
STACK = 8 << 20  # bytes


class WorkspaceFull(OSError):
    """The bot's files do not fit into its work folder."""


def enter(setup: Setup, uid: int | None, building: bool = False) -> None:
    """Make the session's workspace, except for /proc, and enter it: what is started from now on is in it."""
    if uid is None:
        kernel.unshare(kernel.CLONE_NEWNS)
        options = f"size={setup.work},nr_inodes={INODES},mode=0755"
        kernel.mount("tmpfs", "/box", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    with as_uid(uid):
        try:
            populate(setup, building)
        except OSError as error:  # from unshare or mount, above, ENOSPC would mean a limit of the host
            if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
                raise WorkspaceFull(error.errno, "the work folder is full") from error
            raise


def confine(setup: Setup, uid: int | None) -> None:
    """Take every right from this process and all that it starts, and become `uid`.

    Resources were limited before, by set_limits(), and system calls by the agent's filter, except those of
    enter().
    """
    if setup.cpu_s is not None:
        _lower(resource.RLIMIT_CPU, setup.cpu_s)
    if uid is None:
        kernel.drop_capabilities()
    else:
        _lower(resource.RLIMIT_NPROC, setup.processes)
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    kernel.set_dumpable(False)
    setup.filter.install()


def prefer_for_oom_kill(setup: Setup, first: bool) -> None:
    """Set whether the kernel kills what is started from now on before the agent when memory runs out."""
    os.write(setup.oom_score_adj, b"1000" if first else setup.own_oom_score_adj)


class as_uid:
    """`with as_uid(uid):` make and remove files with the rights of the bots' uid."""

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


def populate(setup: Setup, building: bool = False) -> None:
    """Make the folders, and in the work folder the bot's files: small ones copied, large ones linked."""
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


def enter_work_dir() -> None:
    """Change to the work folder. A bot that removed or replaced it gets an empty one. Raises OSError.

    Follows no link, because the caller may have more rights than the bot.
    """
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder = os.open(WORK, flags)
    except OSError:
        if os.path.lexists(WORK):
            os.rename(WORK, f"/box/.aside-{time.monotonic_ns()}")
        os.mkdir(WORK, 0o700)
        folder = os.open(WORK, flags)
    try:
        os.fchdir(folder)
    finally:
        os.close(folder)


def set_limits(setup: Setup) -> None:
    """Set the limits that the agent and all that it starts inherit. None of them can be raised again."""
    if not setup.uids:
        # The agent, PID 1, a spawner and the process that reads /proc have the bots' uid, so they count, too.
        _lower(resource.RLIMIT_NPROC, setup.processes + 4)
    elif not setup.agent_is_counted:
        _lower(resource.RLIMIT_NPROC, setup.processes)
    _lower(resource.RLIMIT_NOFILE, setup.open_files)
    _lower(resource.RLIMIT_FSIZE, setup.work)
    _lower(resource.RLIMIT_CORE, 1)  # with 0 the kernel may still start the host's crash handler
    _lower(resource.RLIMIT_MEMLOCK, 0)
    _lower(resource.RLIMIT_MSGQUEUE, 0)
    _lower(resource.RLIMIT_SIGPENDING, 256)
    # A bot may raise its stack up to its memory (ulimit -s): threads reserve as much for each of them.
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    most = max(STACK, setup.memory) if most == resource.RLIM_INFINITY else min(most, setup.memory)
    resource.setrlimit(resource.RLIMIT_STACK, (min(STACK, most), most))
    if not setup.memory_counted:
        # Not the address space: many runtimes reserve far more of it than they use.
        _lower(resource.RLIMIT_DATA, setup.memory)


def _lower(limit: int, most: int) -> None:
    _, hard = resource.getrlimit(limit)
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (value, value))


def wipe(uid: int | None) -> bool:
    """Empty /box for the next session; True if nothing is left. In namespaces /box is gone already."""
    if uid is None:
        return True
    os.chdir("/")
    with as_uid(uid):
        _remove_contents("/box")
    return not os.listdir("/box") and shared.reset()


def _remove_contents(top: str) -> None:
    """Remove everything below `top`, however deep. Folders are moved up before they are emptied."""
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
            os.chmod(entry, 0o700, dir_fd=folder)  # only a writable folder can be moved
            name = f".gone-{os.getpid()}-{number}-{index}"
            os.rename(entry, name, src_dir_fd=folder, dst_dir_fd=base)
            moved.append(name)
    return moved
