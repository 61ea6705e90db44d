"""Leaving a chroot, for root only: the same files as before, but as the root of a mount namespace of our own.

The kernel makes no user namespace for a process in a chroot, and bwrap, which does not run as root, needs
one. So in a mount namespace of our own, a mount of the chroot's folder is moved to the namespace's root, as
the initial root is replaced at boot. The namespace's root is reached by root's well-known escape from a
chroot: with the root set to a folder below the working directory, `..` leads up to the namespace's own root.
Afterwards nothing of the host outside the chroot is visible, because the mount that was moved there covers
it.
"""

import os

from . import kernel

_COPY = "/mnt"
_DEEPEST = 64  # folders above a chroot; too many `..` do no harm


def needed() -> bool:
    """Whether the root of this process is an ordinary folder, that is, a chroot."""
    with open("/proc/self/mountinfo") as mounts:
        return all(line.split()[4] != "/" for line in mounts)


def make_namespace_root() -> None:
    """Call after unshare(CLONE_NEWNS). Raises OSError."""
    kernel.mount("/", _COPY, "", kernel.MS_BIND | kernel.MS_REC)
    copy = os.open(_COPY, os.O_RDONLY | os.O_DIRECTORY)
    os.chdir("/")
    os.chroot(f"{_COPY}/usr")
    for _ in range(_DEEPEST):
        os.chdir("..")
    os.chroot(".")
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    os.fchdir(copy)
    kernel.mount(".", "/", "", kernel.MS_MOVE)
    os.chroot(".")
    os.chdir("/")
    os.close(copy)
