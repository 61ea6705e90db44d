"""Runs in the box with every attack: makes it, reports its result, looks for traces of it.

The bot that the tests play is `import hostile; hostile.main()`. On the line "go NAME" it makes the attack
NAME.py: it answers "held" if that got nowhere, else what it got. On "look DIGEST", in a session after,
everything that an attack could have left behind is searched for; the digest tells what the bot's files are.

A spawned bot imports everything anew for each attack: nothing that takes long may be imported here.
"""

import ctypes
import errno
import importlib
import os
import signal
import stat
import sys
import threading
import types
import zlib

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
SOURCES = "/bot"
ORDINARY = {signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler}


def main():
    for line in sys.stdin:
        what, _, name = line.strip().partition(" ")
        said = traces(name) if what == "look" else (importlib.import_module(name).go() or "held")
        print(str(said).replace("\n", " ")[:500], flush=True)


def facts():
    """What the test has put on the host and beside this bot, to be reached for."""
    return importlib.import_module("facts").FACTS


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
    """Processes of this uid, this one left out. In namespaces PID 1 has it as well."""
    pids = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            try:
                if os.stat(f"/proc/{name}/task").st_uid == os.getuid():
                    pids.append(name)
            except OSError:
                pass
    return pids


def digest(folder):
    """Of the names and contents of a folder's files."""
    total = 0
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", "rb") as file:
            total = zlib.crc32(name.encode() + b"\0" + file.read() + b"\0", total)
    return f"{total:08x}"


def traces(expected):
    signs = []
    for folder in (SOURCES, "/box/work"):
        if digest(folder) != expected:
            signs.append(f"{folder} is changed: {os.listdir(folder)[:5]}")
    for folder in ("/tmp", "/dev/shm", "/box/game"):
        if os.listdir(folder):
            signs.append(f"{folder}: {os.listdir(folder)[:5]}")
    if sorted(os.listdir("/box")) != ["game", "shm", "tmp", "work"]:
        signs.append(f"/box: {os.listdir('/box')[:9]}")
    if processes := mine():
        signs.append(f"processes: {processes}")
    built_in = (os.write, os.fork, os.read, print, exec)
    if not all(isinstance(function, types.BuiltinFunctionType) for function in built_in) or hasattr(
        os, "evil"
    ):
        signs.append("the interpreter is changed")
    if threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1:
        signs.append("threads")
    caught = {number for number in signal.Signals if signal.getsignal(number) not in ORDINARY}
    if caught or signal.pthread_sigmask(signal.SIG_BLOCK, ()) or any(signal.getitimer(0)):
        signs.append(f"signals: {caught}")
    if len(os.listdir("/proc/self/fd")) > 4:
        signs.append(f"descriptors: {os.listdir('/proc/self/fd')}")
    if b"EVIL" in bytes((ctypes.c_char * 64).from_address(ctypes.cast(libc.labs, ctypes.c_void_p).value)):
        signs.append("the C library is changed")
    for name in os.listdir("/dev"):
        info = os.lstat(f"/dev/{name}")
        times = [info.st_atime_ns, info.st_mtime_ns]
        if stat.S_ISCHR(info.st_mode) and times not in ([0, 0], facts()["devices"].get(name)):
            signs.append(f"/dev/{name} has other times")
    if os.path.exists("/proc/self/autogroup") and not reading("/proc/self/autogroup")().endswith(b" 0\n"):
        signs.append("another priority")
    with open("/box/work/new", "w") as file:
        if os.fstat(file.fileno()).st_ino > 40_000:
            signs.append("the number of a new file")
    os.unlink("/box/work/new")
    if os.getpid() > 6000:
        signs.append("the number of its process")
    used = os.statvfs("/box")
    if (used.f_blocks - used.f_bfree) * used.f_frsize > 2 << 20:
        signs.append("the folder is not empty")
    return "; ".join(signs) or "clean"
