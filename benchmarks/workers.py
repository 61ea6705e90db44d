"""Measures the workers of a site: one alone, and two together on two cores.

Each worker is a process on its own core with its own warm boxes; they share a database. Both processes run
all the time, and play a tournament of Samurai in turn: one, the other, both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.measure import Line, at_least

SECONDS = 2.0  # per turn, as of a task (agon.site.workers.worker.SLICE)
TURNS = 8


class Worker:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.requests, self.answers = process.stdin, process.stdout

    def start(self) -> None:
        print(SECONDS, file=self.requests, flush=True)

    def rate(self) -> float:
        """Wait for the end of the turn; returns units per second."""
        matches, seconds, *_more = self.answers.readline().split()
        return int(matches) / float(seconds)


def lines(sandbox: str) -> Iterator[Line]:
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        yield Line("Two site workers on two cores: there is one core here", "", "", ">= 1.8x", None, "", "")
        return
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder:
        os.chmod(folder, 0o755)  # so that boxes, which do not run as root, can read what is below
        overrides = {
            "DJANGO_SETTINGS_MODULE": "agon.site.settings",
            "AGON_VAR": folder,
            "AGON_SANDBOX": sandbox,
        }
        site = os.environ | overrides
        subprocess.run([sys.executable, "-m", "benchmarks.site", "prepare"], env=site, check=True)
        both, alone = measure_in_turn(["benchmarks.site", "work"], site, cores)
    yield at_least("Two site workers on two cores against one, Samurai", 1.8, both, alone, "matches")
    both, alone = measure_in_turn(["benchmarks.spin"], dict(os.environ), cores)
    yield at_least("... what the machine has for two: a loop of plain Python", None, both, alone, "loops")


def measure_in_turn(
    module: Sequence[str], environment: dict[str, str], cores: Sequence[int]
) -> tuple[list[float], list[float]]:
    """Measure rates in turn: those of both together, and the means of those of each alone."""
    both, alone = [], []
    with ExitStack() as stack:
        workers = [stack.enter_context(worker_process(module, environment, core)) for core in cores]
        run_together(workers)
        for _ in range(TURNS):
            alone.append(sum(run_together([worker]) for worker in workers) / len(workers))
            both.append(run_together(workers))
    return both, alone


@contextmanager
def worker_process(module: Sequence[str], environment: dict[str, str], core: int) -> Iterator[Worker]:
    """Run a process that works when it is asked to, and ends with its parent."""
    command = [sys.executable, "-m", *module]
    environment = environment | {"AGON_CORE": str(core)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Worker(process)


def run_together(workers: Sequence[Worker]) -> float:
    """Run all workers at the same time; returns the sum of their rates."""
    for worker in workers:
        worker.start()
    return sum(worker.rate() for worker in workers)
