"""Runs between the worker and bwrap: joins control groups, leaves a chroot, gives up root, executes bwrap.

The first argument is a plan, a dict as marshal writes it, in hexadecimal digits (importing json would take
longer than everything else here); the others are the command line of bwrap.
    groups  files to write our pid into
    shown   folders (name: path) to mount below /mnt, for this process and bwrap alone: those that only root
            can reach and that bwrap needs when it is no longer root
    uid     the uid to change to; 0: none
"""

import marshal
import os
import sys

from . import kernel, leave_chroot


def main() -> None:
    plan = marshal.loads(bytes.fromhex(sys.argv[1]))
    for procs in plan["groups"]:
        with open(procs, "w") as file:
            file.write("0")
    in_chroot = os.geteuid() == 0 and leave_chroot.needed()
    if plan["shown"] or in_chroot:
        kernel.unshare(kernel.CLONE_NEWNS)
    if in_chroot:
        leave_chroot.make_namespace_root()
    if plan["shown"]:
        _mount_folders(plan["shown"])
    if plan["uid"]:
        os.setgroups([])
        os.setresgid(plan["uid"], plan["uid"], plan["uid"])
        os.setresuid(plan["uid"], plan["uid"], plan["uid"])
    os.execve(sys.argv[2], sys.argv[2:], os.environ)


def _mount_folders(folders: dict[str, str]) -> None:
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", "/mnt", "tmpfs", kernel.MS_NOSUID, "mode=0755,size=64k")
    for name, path in folders.items():
        os.mkdir(f"/mnt/{name}", 0o755)
        kernel.mount(path, f"/mnt/{name}", "", kernel.MS_BIND)
