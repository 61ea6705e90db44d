"""Measures the workers of a site: one alone, and two together on two cores.

Each is a process on its own core, with its own warm boxes; they share a database. Both run all the time, and
play the same tournament of Samurai in turn: one, the other, both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.measure import Line, at_least

SECONDS = 2.0  # like a task (pipeline.tasks.SLICE)
TURNS = 8


class Worker:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.ask, self.answers = process.stdin, process.stdout

    def start(self) -> None:
        print(SECONDS, file=self.ask, flush=True)

    def rate(self) -> float:
        """Wait until it is done; returns matches per second."""
        matches, seconds = self.answers.readline().split()
        return int(matches) / float(seconds)


def lines(sandbox: str) -> Iterator[Line]:
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        yield Line("Two site workers on two cores: there is one core here", "", "", ">= 1.8x", None, "", "")
        return
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder:
        os.chmod(folder, 0o755)  # so that boxes, which do not run as root, can read what is below
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
    """Rates (both together, the mean of each alone), measured in turn."""
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
    """A worker that plays when it is asked to, and ends when its parent ends."""
    command = [sys.executable, "-m", *module]
    environment = environment | {"AGON_CORE": str(core)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Worker(process)


def together(workers: Sequence[Worker]) -> float:
    """Matches per second of all of them, playing at the same time."""
    for worker in workers:
        worker.start()
    return sum(worker.rate() for worker in workers)
