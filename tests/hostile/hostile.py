"""Goes into the box with every attack: asks for it, says what came of it, looks for traces of the last one.

On the line "go" the attack is made: it answers "held" if it got nowhere, else what it got. On "look",
in a session after, everything that an attack could have left behind is searched for.
"""

import ctypes
import errno
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
REFUSALS = {
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
    errno.EROFS,
    errno.ENOENT,
    errno.EAFNOSUPPORT,
    errno.ESRCH,
}
PRISTINE = {name: id(getattr(os, name)) for name in ("open", "write", "fork")}


def attack(go):
    for line in sys.stdin:
        said = traces() if line.strip() == "look" else (go() or "held")
        print(str(said).replace("\n", " ")[:500], flush=True)


def refused(*actions, also=()):
    """Make each attempt; what succeeded, or failed for another reason than that it is forbidden.

    `also`: further errors that mean the same here.
    """
    got = []
    for action in actions:
        try:
            got.append(f"{getattr(action, '__name__', action)} gave {action()!r}")
        except OSError as error:
            if error.errno not in REFUSALS and error.errno not in also:
                got.append(f"failed otherwise: {error!r}")
    return "; ".join(got)


def call(name, *arguments):
    """A function of the C library that raises OSError when it returns -1."""
    return check(getattr(libc, name)(*arguments), name)


def syscall(number, *arguments):
    return check(libc.syscall(ctypes.c_long(number), *arguments), f"system call {number}")


def check(result, what):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def on(intel, arm):
    """The number of a system call on this machine."""
    return intel if os.uname().machine == "x86_64" else arm


def reading(path):
    def read():
        with open(path, "rb") as file:
            return file.read(200)

    read.__name__ = f"reading {path}"
    return read


def writing(path, data=b"x"):
    def write():
        with open(path, "wb") as file:
            return file.write(data)

    write.__name__ = f"writing {path}"
    return write


def mine():
    """Processes of this uid, this one left out. In namespaces the keeper (PID 1) has it as well."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            try:
                if os.stat(f"/proc/{name}/task").st_uid == os.getuid():
                    found.append(name)
            except OSError:
                pass
    return found


def traces():
    found = []
    files = {"/box/work": ["bot.py", "hostile.py"], "/tmp": [], "/dev/shm": [], "/box/game": []}
    for folder, expected in files.items():
        left = sorted(set(os.listdir(folder)) - set(expected))
        if left:
            found.append(f"{folder}: {left[:5]}")
    if sorted(os.listdir("/box")) != ["game", "shm", "tmp", "work"]:
        found.append(f"/box: {os.listdir('/box')[:9]}")
    if processes := mine():
        found.append(f"processes: {processes}")
    if {name: id(getattr(os, name)) for name in PRISTINE} != PRISTINE or hasattr(os, "evil"):
        found.append("the interpreter is changed")
    if len(os.listdir("/proc/self/fd")) > 4:
        found.append(f"descriptors: {os.listdir('/proc/self/fd')}")
    used = os.statvfs("/box")
    if (used.f_blocks - used.f_bfree) * used.f_frsize > 1 << 20:
        found.append("the folder is not empty")
    return "; ".join(found) or "clean"
