"""The targets of attacks: secrets and open sockets of the host, a neighbor, a box that is used again."""

import hashlib
import os
import socket
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.api import Artifact, Box, Limits, Line, Process, Sandbox
from sandbox.boxes.channel import exchange
from tests.hostile.disk_rate import large_files

HERE = Path(__file__).parent
LIMITS = Limits(memory_mib=128, processes=32, work_mib=16)
SECRET = "agon-tests-" + hashlib.sha256(b"only here in one piece").hexdigest()
NEIGHBOR = f"""
import fcntl, os, socket, sys
secret = "{SECRET}"
open("secret.txt", "w").write(secret)
doors = []
for name in ("\\0agon-neighbor", "/tmp/meet", "/dev/shm/meet", "/box/meet"):
    doors.append(socket.socket(socket.AF_UNIX))
    doors[-1].bind(name)
    doors[-1].listen()
shared = os.open("/usr/bin/env", os.O_RDONLY)
fcntl.flock(shared, fcntl.LOCK_EX)
fcntl.lockf(shared, fcntl.LOCK_SH, 10)
for name in ("null", "zero", "full"):
    fcntl.lockf(os.open("/dev/" + name, os.O_RDWR), fcntl.LOCK_EX, 1, 20)
try:
    fcntl.fcntl(shared, 37, b"\\0" * 8 + b"\\0" * 24)  # F_OFD_SETLK, F_RDLCK
except OSError:
    pass
for line in sys.stdin: print(line, end="", flush=True)
"""
BOT = b"""
import io, sys, hostile
if sys.argv[1:]:  # run for a move, on the game's file
    sys.stdin = io.StringIO(" ".join(sys.argv[2:]) + "\\n")
hostile.main()
"""
DEVICES = ("null", "zero", "full", "random", "urandom")
SETTINGS = [
    path
    for name in ("core_pattern", "hostname", "domainname", "modprobe", "sysrq", "ctrl-alt-del")
    if (path := Path("/proc/sys/kernel", name)).exists()
]


@contextmanager
def open_doors(folder: Path) -> Iterator[dict[str, object]]:
    """A file, an environment variable and sockets of this host that no bot may reach; where they are."""
    (folder / "secret.txt").write_text(SECRET)
    (folder / "secret.txt").chmod(0o644)
    os.environ["AGON_SECRET_OF_THE_TESTS"] = SECRET
    tcp, udp, local, abstract = (
        socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        socket.socket(socket.AF_UNIX),
        socket.socket(socket.AF_UNIX),
    )
    with tcp, udp, local, abstract:
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        local.bind(str(folder / "s"))
        abstract.bind(f"\0agon-tests-{os.getpid()}")
        for door in (tcp, local, abstract):
            door.listen()
        yield {
            "secret": [SECRET[:20], SECRET[20:]],  # in two pieces, so that it cannot be found here
            "file": str(folder / "secret.txt"),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "socket": str(folder / "s"),
            "abstract": f"agon-tests-{os.getpid()}",
            "worker": os.getpid(),
            "devices": {name: _times(f"/dev/{name}") for name in DEVICES},
        }
    del os.environ["AGON_SECRET_OF_THE_TESTS"]


def _times(path: str) -> list[int]:
    info = os.stat(path)
    return [info.st_atime_ns, info.st_mtime_ns]


def host() -> dict[str, object]:
    """What no attack may change."""
    seen: dict[str, object] = {str(path): path.read_text() for path in SETTINGS}
    seen |= {path: os.stat(path).st_mtime_ns for path in ("/etc/passwd", "/usr/bin", "/usr/lib", "/etc")}
    seen |= {name: _times(f"/dev/{name}") for name in DEVICES}
    seen["strangers"] = [path for path in _entries("/dev/shm", "/tmp", "/var/tmp") if _owner(path) >= 1 << 30]
    return seen


def _entries(*folders: str) -> list[str]:
    return [f"{folder}/{name}" for folder in folders for name in os.listdir(folder)]


def _owner(path: str) -> int:
    try:
        return os.lstat(path).st_uid
    except FileNotFoundError:  # not ours, and gone again
        return 0


def drop_cached_files() -> None:
    """Let whoever reads the large files of the system read them from the disk."""
    for path in large_files():
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Arena:
    """One box with all the attacks in it, used again as long as it is alive."""

    def __init__(self, sandbox: Sandbox, folder: Path, facts: dict[str, object], warm: bool) -> None:
        self.sandbox = sandbox
        command = ("python3", "bot.py") if warm else ("python3", "-B", "bot.py")
        self.artifact = Artifact(folder, folder.name, "python", command, "bot.py" if warm else None)
        files = {path.name: path.read_bytes() for path in (HERE / "attacks").glob("*.py")}
        files |= {name: (HERE / name).read_bytes() for name in ("hostile.py", "disk_rate.py")}
        files["bot.py"] = BOT
        files["facts.py"] = f"FACTS = {facts!r}\n".encode()
        self.artifact.files.mkdir()
        for name, content in files.items():
            (self.artifact.files / name).write_bytes(content)
        self.digest = _digest(files)
        self._box: Box | None = None

    def box(self) -> Box:
        if self._box is None or not self._box.alive:
            self.close()
            self._box = self.sandbox.open(self.artifact, LIMITS)
        return self._box

    def close(self) -> None:
        if self._box is not None:
            self._box.close()


def _digest(files: dict[str, bytes]) -> str:
    total = 0
    for name in sorted(files):
        total = zlib.crc32(name.encode() + b"\0" + files[name] + b"\0", total)
    return f"{total:08x}"


def neighbor(sandbox: Sandbox, artifacts: Callable[..., Artifact]) -> Box:
    return sandbox.open(artifacts(NEIGHBOR), LIMITS)


def asked(process: Process) -> bytes:
    """What a harmless bot answers to "fine"."""
    answer = exchange({0: (process, b"fine\n", 30.0)})[0]
    return answer.text if isinstance(answer, Line) else answer.kind.encode()
