"""The processes of a site: one web server, the workers, one scheduler.

Each is started
- in a process group of its own, so that Ctrl-C reaches the supervisor alone, which then stops them in order;
- with SIGKILL as its parent-death signal, so that none outlives the supervisor; what the children start
  (sandboxes) dies with them by the same means;
- with its output appended to its own log, if there are logs. Without room or a folder for them it is started
  all the same, and its output goes where ours goes.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Program:
    """A program to run: `arguments` of the Python interpreter, descriptors to `inherit`, and its niceness."""

    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    inherit: tuple[int, ...] = ()
    nice: int = 0


PLAYERS_NICE = 10  # a tenth of the weight of the web server, so that pages stay quick while all cores play
AT_HOME = 2  # one of them may be held for an hour by a match without a clock
CONSUMER = ("-m", "agon.supervisor.consumer")


def web(listening: int, ready: int) -> Program:
    """Serves pages on the socket `listening`, and writes a byte to `ready` once it does."""
    return Program(
        "web", ("-m", "agon.supervisor.web", str(listening), str(ready)), inherit=(listening, ready)
    )


def workers(cores: Sequence[int], builders: str = "build,interactive,chores") -> list[Program]:
    """One worker per core plays matches; one more builds, so that builds do not delay matches; AT_HOME more
    play those with bots at home, for which they mostly wait.

    builders: the queues of the one that builds.
    """
    at_home = [worker(f"home-{number}", "home", {}, PLAYERS_NICE) for number in range(AT_HOME)]
    return [*players(cores, "interactive,bulk,chores"), worker("builder", builders, {}), *at_home]


def players(cores: Sequence[int], queues: str) -> list[Program]:
    """One worker per core plays matches."""
    return [
        worker(f"worker-{number}", queues, {"AGON_CORE": str(core)}, PLAYERS_NICE)
        for number, core in enumerate(cores)
    ]


def players_elsewhere(cores: Sequence[int]) -> list[Program]:
    """The workers of a machine that needs only a part of the site's rights, and proves itself first."""
    programs = players(cores, "interactive,bulk")
    return [replace(program, environment=program.environment | {"AGON_PROVES": "on"}) for program in programs]


def worker(name: str, queues: str, environment: dict[str, str], nice: int = 0) -> Program:
    """A Celery worker that takes one task at a time from these queues (names, separated by commas)."""
    return Program(name, (*CONSUMER, "worker", name, queues), environment, nice=nice)


def scheduler() -> Program:
    """Celery's beat, which sends the periodic tasks."""
    return Program("scheduler", (*CONSUMER, "scheduler"))


def start(program: Program, log_to: Path | None) -> subprocess.Popen[bytes]:
    """Start `program`, with its output appended to `log_to`, or going where ours goes."""
    with ExitStack() as opened:
        log = None
        if log_to is not None:
            with suppress(OSError):
                log_to.parent.mkdir(mode=0o700, exist_ok=True)  # an operator may have removed all logs
                log = opened.enter_context(open(log_to, "ab"))
        return subprocess.Popen(
            [sys.executable, "-u", *program.arguments],
            env=os.environ | program.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            process_group=0,
            pass_fds=program.inherit,
            preexec_fn=die_with_parent(os.getpid(), program.nice),
        )


def die_with_parent(parent: int, nice: int = 0) -> Callable[[], None]:
    """A `preexec_fn` that has the child killed when its parent ends, and sets its niceness."""

    def in_the_child() -> None:
        os.nice(nice)
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the line above
            os._exit(1)

    return in_the_child


def adopt_orphans() -> None:
    """Make orphans of our children our own children, so that we can end them."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_descendants(spare: Collection[int] = ()) -> None:
    """Kill and reap every descendant of this process, including those that appear meanwhile.

    The processes in `spare` and their descendants are left alone.
    """
    while doomed := descendants(os.getpid(), spare):
        for pid in doomed:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in doomed:  # grandchildren become our children when their parents are gone
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def descendants(root: int, spare: Collection[int] = ()) -> list[int]:
    """Every process below `root`, nearest first, without those in `spare` and their descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            # pid (name, which may hold anything) state parent ...
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(folder.name))
    pids = [root]
    for pid in pids:
        pids += [child for child in children.get(pid, []) if child not in spare]
    return pids[1:]
