"""`agon check-game --mutants`: makes mutants of the referee, judges each, and counts those that are caught.

Theory of operation.

Processes:
- This process never loads a mutant. A server process forks one process for each (multiprocessing's
  `forkserver`), in which the modules that all need are loaded already, but nothing of the game.
- As many run at once as there are cores, each bound to one.

Failure:
- A mutant that loops or waits without end is killed, with all that it started, after some times the seconds
  that the unchanged game needs, and counts as caught: the author's checks would never end.
- A mutant about which the platform fails counts as not judged.
- When the time is over, the rest is not judged. The order is drawn, from a fixed seed, so that those that
  were judged are a fair sample of all.
"""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from agon.cli.authors.fate_checks import Staged
from agon.cli.authors.judging import ALL, Judgement, Trial, send_hidden, send_judgement
from agon.cli.authors.mutations import BadMark, Mutation, mutations, rule_files
from agon.cli.output import NO_SANDBOX, CommandError, put
from agon.cli.terminal import progress
from games.core.manifest import GameInfo

_CONTEXT = multiprocessing.get_context("forkserver")
_PRELOADED = ["__main__", "agon.cli.authors.judging"]
LEAST_S, TIMES = 40.0, 5  # that a mutant may take: so many times what the game itself takes, and no less
SETUP_S = 600.0  # for what is done with the game itself
HANGS = "time"


@dataclass(frozen=True)
class Run:
    """A mutant and its verdict. caught_by: a check, HANGS, or "" for a survivor."""

    mutation: Mutation
    caught_by: str
    words: str


@dataclass(frozen=True)
class Mutants:
    """What was made of a game's rules. stated: mutants that the author gave a reason against.

    made: all others. runs: those of them that were judged. seconds: for all.
    """

    made: int
    stated: int
    runs: tuple[Run, ...]
    seconds: float

    @property
    def caught(self) -> int:
        return sum(bool(run.caught_by) for run in self.runs)

    @property
    def survivors(self) -> list[Run]:
        """In the order of the files."""
        return sorted(
            (run for run in self.runs if not run.caught_by),
            key=lambda run: (run.mutation.path.name, run.mutation.line, run.mutation.start),
        )


def judge_mutants(
    info: GameInfo, fates: Sequence[Staged], sandbox: str, tests: Sequence[str], seconds: float
) -> Mutants:
    """Make and judge the mutants of a game within this time.

    fates: as they were played. tests: for pytest, besides those in the game's folder.

    Raises CommandError, if the game itself does not pass, for one.
    """
    began = time.monotonic()
    _CONTEXT.set_forkserver_preload(_PRELOADED)
    hidden = _answer(send_hidden, info.slug, SETUP_S)
    if not isinstance(hidden, list):
        raise CommandError(f"--mutants: the game must pass its own checks first: {hidden or 'it hangs'}")
    try:
        made = mutations(rule_files(info.folder), info.referee, hidden)
    except BadMark as error:
        raise CommandError(f"--mutants: {error}") from None
    own = sorted(map(str, info.folder.glob("test_*.py")))
    trial = Trial(info.slug, None, ALL, fates, sandbox, (*own, *tests))
    trial, limit = _passing(trial)
    left = random.Random(0).sample(made.mutants, len(made.mutants))
    runs = []
    with progress() as bar:
        task = bar.add_task("mutants", total=len(left))
        for run in _judge_all(trial, left, limit, began + seconds):
            bar.advance(task)
            if run is not None:
                runs.append(run)
    return Mutants(len(made.mutants), made.stated, tuple(runs), time.monotonic() - began)


def _passing(trial: Trial) -> tuple[Trial, float]:
    """The trial with its checks, the fastest first; the seconds that a mutant may take."""
    judged = _answer(send_judgement, trial, SETUP_S)
    if not isinstance(judged, Judgement):
        raise CommandError("--mutants: the checks of the game itself do not end")
    if judged.failure:
        raise CommandError(f"{judged.failure}; no mutants were judged", NO_SANDBOX)
    if judged.caught_by:
        raise CommandError(
            f"--mutants: the game must pass its own checks first: {judged.caught_by}: {judged.words}"
        )
    checks = [*sorted(trial.checks[:-1], key=lambda name: judged.seconds[name]), trial.checks[-1]]
    played = sum(staged.log.seconds for staged in trial.fates if staged.log is not None)
    limit = max(LEAST_S, TIMES * (sum(judged.seconds.values()) + played))
    return replace(trial, checks=checks), limit


def _judge_all(trial: Trial, left: Sequence[Mutation], limit: float, end: float) -> Iterator[Run | None]:
    """Judge mutants until the time is over; None for one about which nothing is known."""
    cores = sorted(os.sched_getaffinity(0))
    queue = list(reversed(left))
    running: dict[Connection, _Running] = {}
    try:
        while running or (queue and time.monotonic() < end):
            while queue and cores and time.monotonic() < end:
                mutation = queue.pop()
                started = _start(send_judgement, replace(trial, mutation=mutation), cores.pop(0), limit)
                running[started.pipe] = replace(started, mutation=mutation)
            timeout = max(0.0, min(judgment.until for judgment in running.values()) - time.monotonic())
            ready = [pipe for pipe in wait(list(running), timeout) if isinstance(pipe, Connection)]
            late = [pipe for pipe, judgment in running.items() if judgment.until <= time.monotonic()]
            for pipe in {*ready, *late}:
                done = running.pop(pipe)
                cores.append(done.core)
                yield _run(done.mutation, done.end(), limit)
    finally:
        for unfinished in running.values():
            unfinished.end()


def _run(mutation: Mutation | None, judged: Any, limit: float) -> Run | None:
    assert mutation is not None
    if judged is None:
        return Run(mutation, HANGS, f"did not end within {limit:.0f} s")
    if not isinstance(judged, Judgement):
        return Run(mutation, HANGS, "its process died")
    return None if judged.failure else Run(mutation, judged.caught_by, judged.words)


@dataclass(frozen=True)
class _Running:
    """A process that sends one answer. until: when it is too late."""

    process: Any
    pipe: Connection
    core: int
    until: float
    mutation: Mutation | None = None

    def end(self) -> Any:
        """Its answer, None if it has none yet, "" if it died without; the process is killed with its own."""
        answer: Any = None
        try:
            if self.pipe.poll():
                answer = self.pipe.recv()
        except (EOFError, OSError):
            answer = ""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.pipe.close()
        return answer


def _start(main: Callable[..., None], argument: object, core: int, limit: float) -> _Running:
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=main, args=(argument, core, theirs), daemon=True)
    process.start()
    theirs.close()
    return _Running(process, ours, core, time.monotonic() + limit)


def _answer(main: Callable[..., None], argument: object, limit: float) -> Any:
    """The answer of one process."""
    running = _start(main, argument, min(os.sched_getaffinity(0)), limit)
    running.pipe.poll(limit)
    return running.end()


def to_data(mutants: Mutants, folder: Path) -> dict[str, Any]:
    """For --json. Files are named from the folder that holds the game's."""
    return {
        "made": mutants.made,
        "stated": mutants.stated,
        "judged": len(mutants.runs),
        "caught": mutants.caught,
        "seconds": round(mutants.seconds, 1),
        "survivors": [
            {
                "file": os.path.relpath(run.mutation.path, folder),
                "line": run.mutation.line,
                "kind": run.mutation.kind,
                "diff": run.mutation.diff(),
            }
            for run in mutants.survivors
        ],
    }


def print_mutants(mutants: Mutants, folder: Path) -> None:
    """Print the survivors and the score. Files are named from the folder that holds the game's."""
    for run in mutants.survivors:
        place = f"{os.path.relpath(run.mutation.path, folder)}, line {run.mutation.line}"
        put(f"\nsurvives: {place}: {run.mutation.kind}\n{run.mutation.diff()}")
    judged = len(mutants.runs)
    share = f" ({mutants.caught / judged:.0%})" if judged else ""
    rest = f"; {mutants.made - judged} were not judged" if mutants.made > judged else ""
    stated = f"; {mutants.stated} more are on lines with a reason against them" if mutants.stated else ""
    put(f"\n{mutants.caught} of {judged} mutants are caught{share}{rest}{stated}")
