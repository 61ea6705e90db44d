"""Run between the worker and bwrap: joins cgroups, leaves a chroot, gives root away, becomes bwrap.

The first argument is a plan, a JSON object; the others are bwrap's command line.
    groups  files to write our number into
    shown   folders (name: path) to mount below /mnt, for us and bwrap alone: ones that only root
            can reach, which bwrap will need once it is no longer root
    uid     whom to become; 0: nobody else
"""

import json
import os
import sys

from . import kernel, leave_chroot


def main() -> None:
    plan = json.loads(sys.argv[1])
    for procs in plan["groups"]:
        with open(procs, "w") as file:
            file.write("0")
    in_chroot = os.geteuid() == 0 and leave_chroot.needed()
    if plan["shown"] or in_chroot:
        kernel.unshare(kernel.CLONE_NEWNS)
    if in_chroot:
        leave_chroot.make_namespace_root()
    if plan["shown"]:
        _show(plan["shown"])
    if plan["uid"]:
        os.setgroups([])
        os.setresgid(plan["uid"], plan["uid"], plan["uid"])
        os.setresuid(plan["uid"], plan["uid"], plan["uid"])
    os.execve(sys.argv[2], sys.argv[2:], os.environ)


def _show(folders: dict[str, str]) -> None:
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", "/mnt", "tmpfs", kernel.MS_NOSUID, "mode=0755,size=64k")
    for name, path in folders.items():
        os.mkdir(f"/mnt/{name}", 0o755)
        kernel.mount(path, f"/mnt/{name}", "", kernel.MS_BIND)
