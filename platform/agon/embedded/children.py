"""The processes of a site: one web server, the workers, one scheduler.

Each is started
- in a process group of its own, so that Ctrl-C reaches the supervisor alone, which then stops them in order;
- with SIGKILL as its parent-death signal, so that none outlives the supervisor, however that ends; what the
  children start themselves (sandboxes) dies with them by the same means;
- with its output appended to `log/<name>.log`.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Program:
    """What to run: `arguments` follow the Python interpreter; `inherit` are descriptors it gets."""

    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    inherit: tuple[int, ...] = ()


def programs(listening: int, ready: int, cores: Sequence[int]) -> list[Program]:
    """The processes of a site that plays on `cores`; `listening` and `ready` are the web server's own.

    A worker a core plays matches. One more builds what is uploaded, so that a build delays no match.
    """
    celery = ("-m", "celery", "--app", "agon.celery", "--quiet")
    worker = (*celery, "worker", "--pool", "solo", "--loglevel", "WARNING")
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return [
        Program("web", ("-m", "agon.embedded.web", str(listening), str(ready)), inherit=(listening, ready)),
        *(
            Program(
                f"worker-{number}",
                (*worker, *alone, "--hostname", f"worker-{number}@agon", "--queues", "interactive,bulk"),
                environment={"AGON_CORE": str(core)},
            )
            for number, core in enumerate(cores)
        ),
        Program("builder", (*worker, *alone, "--hostname", "builder@agon", "--queues", "build,interactive")),
        Program(
            "scheduler", (*celery, "beat", "--loglevel", "WARNING", "--pidfile=", "--schedule", os.devnull)
        ),
    ]


def start(program: Program, logs: Path) -> subprocess.Popen[bytes]:
    with open(logs / f"{program.name}.log", "ab") as log:
        return subprocess.Popen(
            [sys.executable, "-u", *program.arguments],
            env=os.environ | program.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            process_group=0,
            pass_fds=program.inherit,
            preexec_fn=die_with_parent(os.getpid()),
        )


def die_with_parent(parent: int) -> Callable[[], None]:
    def in_the_child() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)

    return in_the_child


def adopt_orphans() -> None:
    """Whatever a child leaves behind becomes a child of this process, which can then end it."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_descendants(spare: Collection[int] = ()) -> None:
    """Kill and reap every descendant of this process, including those that appear meanwhile.

    The processes in `spare`, and their descendants, are left alone.
    """
    while doomed := _descendants(os.getpid(), spare):
        for pid in doomed:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in doomed:  # those that are not our own children become so when their parents are gone
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _descendants(of: int, spare: Collection[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            # pid (name, which may hold anything) state parent ...
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(folder.name))
    found = [of]
    for pid in found:
        found += [child for child in children.get(pid, []) if child not in spare]
    return found[1:]
