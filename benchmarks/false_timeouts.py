"""Measures whether bots that use three fifths of their time limit lose by time-outs on a loaded host.

    python -m benchmarks.false_timeouts [--matches N] [--beside N] [--load N] [--limit SECONDS]

Plays on two cores, on every sandbox that works on this machine, with two kinds of load:

- The matches themselves. LOAD (8) players per core play at the same time, MATCHES (20,000) in all, so that
  each bot gets an eighth of a core. Like a worker, a player stays on one core with its bots.
- Other processes. BESIDE (400) matches are played one after another, beside LOAD busy loops per core.

Each match is one session: a process that is asked twice, or a program that is run twice. Half of the bots are
in Python, forked from a warm interpreter, and half are in C, spawned. In a few matches a bot sleeps or spins
instead, and must be stopped.

The report counts attempts that were given up because the machine was too busy, matches that are void after
ATTEMPTS of them, and matches that a bot lost although it stayed within its limit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.bare import STATIC
from benchmarks.beside_load import spinning
from sandbox.api import Artifact, Box, Failed, Limits, MachineTooBusy, Sandbox, SandboxError, Times
from sandbox.backends import open_sandbox
from sandbox.boxes.channel import exchange

CORES = 2
BACKENDS = ("bubblewrap", "docker")
CHANNELS = ("stdio", "program")
LANGUAGES = ("python", "c")
ANSWERS = 2
ATTEMPTS = 3
USED = 0.6  # of the limit, by an honest bot
STOPPED_EVERY = (
    50  # matches, in which one more match with a sleeping bot and one with a spinning bot are played
)
PYTHON = """
import sys, time
def answer(what):
    if what == "sleep": time.sleep(60)
    until = time.process_time() + (60 if what == "spin" else float(what))
    while time.process_time() < until: pass
if len(sys.argv) > 1: answer(sys.argv[1])
else:
    for line in sys.stdin:
        answer(line.strip())
        print("done", flush=True)
"""
C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}
static void answer(const char *what) {
    if (!strncmp(what, "sleep", 5)) sleep(60);
    double until = used() + (strncmp(what, "spin", 4) ? atof(what) : 60);
    while (used() < until);
}
int main(int count, char **words) {
    char line[100];
    if (count > 1) answer(words[1]);
    else while (fgets(line, sizeof line, stdin)) { answer(line); puts("done"); fflush(stdout); }
    return 0;
}
"""


HEAD = """\
| | matches | answers | ms an answer | beyond the limit by the clock | too busy | void | lost \
| sleepers stopped | spinners stopped |
|---|---|---|---|---|---|---|---|---|---|"""


class Share(NamedTuple):
    """The matches that one player plays, one after another."""

    backend: str
    artifact: Artifact
    number: int  # of the player; it decides which channel comes first
    matches: int
    limit: float
    core: int


Counts = Counter[tuple[str, str, str, str]]  # backend, channel, language, what


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.false_timeouts")
    parser.add_argument("--matches", type=int, default=20_000, help="played at the same time; in all")
    parser.add_argument("--beside", type=int, default=400, help="played beside processes that never rest")
    parser.add_argument("--load", type=int, default=8, help="for each of two cores")
    parser.add_argument("--limit", type=float, default=0.05, help="of an answer, in seconds")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    os.sched_setaffinity(0, cores)
    players = options.load * len(cores)
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder:
        bots = [artifact(Path(folder, language), language) for language in LANGUAGES]
        backends = list(working_backends())
        for title, matches, at_once, spinners in (
            (f"{players} matches at the same time", options.matches, players, 0),
            (f"one match at a time beside {players} that never rest", options.beside, len(bots), players),
        ):
            print(f"\n{title}, on {len(cores)} cores, limit {options.limit:g} s\n\n{HEAD}", flush=True)
            for backend in backends if matches else ():
                per_share = matches // len(backends) // at_once
                shares = [
                    Share(backend, bot, number, per_share, options.limit, cores[number % len(cores)])
                    for number in range(at_once // len(bots))
                    for bot in bots
                ]
                began = time.monotonic()
                with spinning(spinners, own_sessions=True):
                    report(play_shares(shares, 1 if spinners else at_once))
                took, load = time.monotonic() - began, os.getloadavg()[0]
                print(f"{backend}: {took:.0f} s, load {load:.0f}", file=sys.stderr, flush=True)


def working_backends() -> Iterator[str]:
    for name in BACKENDS:
        try:
            open_sandbox(name).close()
            yield name
        except SandboxError as error:
            print(f"{name}: {error}", flush=True)


def play_shares(shares: list[Share], at_once: int) -> Counts:
    """Play each share in a process of its own."""
    counts: Counts = Counter()
    with ProcessPoolExecutor(at_once, multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(play_all, shares):
            counts.update(part)
    return counts


def play_all(share: Share) -> Counts:
    counts: Counts = Counter()
    os.sched_setaffinity(0, {share.core})
    with closing(open_sandbox(share.backend)) as sandbox, Player(sandbox, share) as player:
        for match in range(share.matches):
            channel = CHANNELS[(share.number + match) % len(CHANNELS)]
            player.play(channel, f"{USED * share.limit:g}", ANSWERS)
            if match % STOPPED_EVERY < 2 * len(CHANNELS):
                player.play(channel, ("sleep", "spin")[match % STOPPED_EVERY // 2], 1)
        for (channel, event), often in player.counts.items():
            counts[share.backend, channel, share.artifact.language, event] += often
    return counts


class Player:
    """Plays matches in one warm box and counts what happens to them."""

    def __init__(self, sandbox: Sandbox, share: Share) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._sandbox = sandbox
        self._share = share
        self._box: Box | None = None

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        if self._box is not None:
            self._box.close()

    def play(self, channel: str, task: str, answers: int) -> None:
        """Play a match, and play it again while the machine is too busy."""
        honest = task not in ("sleep", "spin")
        kind = "match" if honest else task
        self.counts[channel, kind] += 1
        for attempt in range(1, ATTEMPTS + 1):
            try:
                for failed, times in self._answers(channel, task, answers):
                    if honest:
                        self._count(channel, times)
                    if failed is not None:
                        self.counts[channel, f"{kind}: lost"] += 1
                        if honest:
                            self._log(channel, f"LOST at attempt {attempt}: {failed}")
                        return
                return
            except MachineTooBusy as error:
                self.counts[channel, f"{kind}: too busy"] += 1
                self._log(channel, f"{task}: {error}")
        self.counts[channel, f"{kind}: void"] += 1

    def _answers(self, channel: str, task: str, answers: int) -> Iterator[tuple[Failed | None, Times]]:
        """The answers of one attempt, up to the first failure."""
        if self._box is None or not self._box.alive:
            self._box = self._sandbox.open(self._share.artifact, Limits())
        limit = self._share.limit
        with closing(self._box.session()) as session:
            if channel == "program":
                for _ in range(answers):
                    run = session.run([task], None, limit)
                    yield run.failed, run.times
                    if run.failed is not None:
                        return
                return
            process = session.start()
            exchange({0: (process, b"0\n", 60.0)})  # the start of an interpreter has a limit of its own
            for _ in range(answers):
                answer = exchange({0: (process, task.encode() + b"\n", limit)})[0]
                yield answer if isinstance(answer, Failed) else None, answer.times
                if isinstance(answer, Failed):
                    return

    def _count(self, channel: str, times: Times) -> None:
        self.counts[channel, "answers"] += 1
        self.counts[channel, "took longer than the limit"] += times.wall_us > self._share.limit * 1e6
        self.counts[channel, "wall"] += times.wall_us

    def _log(self, channel: str, words: str) -> None:
        share = self._share
        print(f"{share.backend}, {channel}, {share.artifact.language}: {words}", file=sys.stderr, flush=True)


def report(counts: Counts) -> None:
    """Print the table: a row for each kind of bot."""
    for row in sorted({key[:3] for key in counts}):
        of_row = {event: counts[*row, event] for *_, event in counts}
        answers = max(1, of_row["answers"])
        ended = [of_row.get(f"match: {event}", 0) for event in ("too busy", "void", "lost")]
        stopped = [f"{of_row.get(f'{task}: lost', 0)} of {of_row[task]}" for task in ("sleep", "spin")]
        figures = [f"{of_row['match']:,}", f"{answers:,}", f"{of_row['wall'] / answers / 1000:.0f}"]
        figures.append(f"{of_row['took longer than the limit'] / answers:.0%}")
        print(f"| {', '.join(row)} | {' | '.join([*figures, *map(str, ended), *stopped])} |", flush=True)


def artifact(folder: Path, language: str) -> Artifact:
    (folder / "files").mkdir(parents=True)
    folder.parent.chmod(0o755)
    if language == "python":
        (folder / "files" / "bot.py").write_text(PYTHON)
        return Artifact(folder, "0" * 64, language, ("python3", "bot.py"), "bot.py")
    subprocess.run([*STATIC, "-x", "c", "-o", folder / "files" / "bot", "-"], input=C.encode(), check=True)
    return Artifact(folder, "1" * 64, language, ("./bot",))


if __name__ == "__main__":
    main()
