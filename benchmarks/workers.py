"""Workers of a site: what one plays, and what two on two cores play together.

Each is a process on a core of its own, with its own warm boxes, on one database; both are there all the
time, and take turns (one, the other, both) with the same tournament of Samurai.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.measure import Line, at_least

SECONDS = 2.0  # which is what a task takes at most
TURNS = 8


class Worker:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.ask, self.answers = process.stdin, process.stdout

    def start(self) -> None:
        print(SECONDS, file=self.ask, flush=True)

    def rate(self) -> float:
        """Matches a second, when it is done."""
        matches, seconds = self.answers.readline().split()
        return int(matches) / float(seconds)


def lines(sandbox: str) -> Iterator[Line]:
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        yield Line("Two site workers on two cores: there is one core here", "", "", ">= 1.8x", None, "", "")
        return
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder:
        os.chmod(folder, 0o755)  # a box that has given up root's rights must be able to read what is below
        own = {"DJANGO_SETTINGS_MODULE": "agon.settings", "AGON_VAR": folder, "AGON_SANDBOX": sandbox}
        site = os.environ | own
        subprocess.run([sys.executable, "-m", "benchmarks.site", "prepare"], env=site, check=True)
        both, alone = measured(["benchmarks.site", "work"], site, cores)
    yield at_least("Two site workers on two cores against one, Samurai", 1.8, both, alone, "matches")
    both, alone = measured(["benchmarks.spin"], dict(os.environ), cores)
    yield at_least("... what the machine has for two: a loop of plain Python", None, both, alone, "loops")


def measured(
    module: Sequence[str], environment: dict[str, str], cores: Sequence[int]
) -> tuple[list[float], list[float]]:
    """What one on each core does together with the other, and what one does alone, turn by turn."""
    both, alone = [], []
    with ExitStack() as stack:
        workers = [stack.enter_context(working(module, environment, core)) for core in cores]
        together(workers)
        for _ in range(TURNS):
            alone.append(sum(together([worker]) for worker in workers) / len(workers))
            both.append(together(workers))
    return both, alone


@contextmanager
def working(module: Sequence[str], environment: dict[str, str], core: int) -> Iterator[Worker]:
    """A worker that does its work when it is asked to, and ends when its parent is gone."""
    command = [sys.executable, "-m", *module]
    environment = environment | {"AGON_CORE": str(core)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Worker(process)


def together(workers: Sequence[Worker]) -> float:
    """Matches a second of all of them while they play at the same time."""
    for worker in workers:
        worker.start()
    return sum(worker.rate() for worker in workers)
