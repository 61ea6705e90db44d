"""Matches played by worker processes, one a core, and handed out in the order of the schedule.

Theory of operation. The command forks its workers before it starts any thread. Each worker is bound to a
core, has a sandbox and warm boxes of its own, and talks to the command over one pipe: down go pairings, up
come finished matches (pickled by us for us: what a bot wrote is only ever text and bytes inside them). A
worker plays one match at a time and never looks at another's, so their number cannot change a result.

- A match that the platform failed to play is played again. A sandbox that fails is waited for (patience.py);
  if it does not come back, the worker sends the reason up and the whole run ends with SandboxFailed. What
  fails in a sandbox that works (a referee that breaks down) is tried ATTEMPTS times at once; then the match
  is Void, and the run goes on without it.
- Ctrl-C reaches the command only (workers are process groups of their own). The first Ctrl-C or SIGTERM lets
  `played` stop handing out matches: the generator just ends, so that its consumer can finish what it writes.
  A second one is Python's usual KeyboardInterrupt.
- However that ends, workers get SIGTERM, which unwinds the match they are playing: sessions, boxes and the
  sandbox are closed on the way out. One that does not end within PATIENCE_S is killed; the backends see to it
  that boxes die with the process that opened them.
- A command that is killed itself leaves workers whose pipe is closed: they end after the match they are in.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import NamedTuple

from cli.retry import waited_out
from contest.arena import PlatformFailure, Played, Player, box_limits, play
from contest.formats import Pairing
from games.core.manifest import GameInfo, load
from sandbox import SandboxError, open_sandbox
from sandbox.boxes.pool import Pool

ATTEMPTS = 3
PATIENCE_S = 10
_MOST_BOXES = 24  # warm ones of a worker: all bots of most tournaments
_AHEAD = 64  # matches a worker may be ahead of the oldest unfinished one: a bound on what is kept in memory


class SandboxFailed(Exception):
    """The platform could not play on; str(e) says why."""


class Void(NamedTuple):
    """A match without a result, by no bot's doing: what the platform failed at in every attempt."""

    reason: str


@dataclass(frozen=True)
class Work:
    """What every worker knows: the game, the seed of match 0, the entrants by number, the sandbox's name."""

    game: str
    seed: int
    players: tuple[Player, ...]
    sandbox: str


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    playing: Pairing | None = None


class Interrupt:
    """Set by the first SIGINT or SIGTERM; `fd` becomes readable then."""

    def __init__(self) -> None:
        self.happened = False
        self.fd, self._write = os.pipe()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.happened = True
        signal.signal(number, signal.default_int_handler)
        os.write(self._write, b"!")


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """While inside, the first Ctrl-C or SIGTERM only sets the Interrupt."""
    interrupt = Interrupt()
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def crew(work: Work, jobs: int) -> Iterator[list[_Worker]]:
    """`jobs` workers, each on a core (in turn, where there are fewer cores); ended on the way out."""
    cores = sorted(os.sched_getaffinity(0))
    context = multiprocessing.get_context("fork")
    workers: list[_Worker] = []
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        for number in range(jobs):
            ours, theirs = context.Pipe()
            not_for_it = [worker.pipe for worker in workers] + [ours]
            arguments = (work, cores[number % len(cores)], theirs, not_for_it)
            process = context.Process(target=_worker, args=arguments, name=f"agon worker {number}")
            process.start()
            theirs.close()
            workers.append(_Worker(process, ours))
        yield workers
    finally:
        _dismiss(workers)


def played(
    workers: Sequence[_Worker], pairings: Sequence[Pairing], interrupt: Interrupt
) -> Iterator[tuple[Pairing, Played | Void]]:
    """The matches in the order of `pairings`; ends early when interrupted. Raises SandboxFailed."""
    handed_out = 0
    done: dict[int, Played | Void] = {}
    for place, pairing in enumerate(pairings):
        while pairing.index not in done:
            most = min(len(pairings), place + _AHEAD * len(workers))
            for worker in workers:
                if worker.playing is None and handed_out < most:
                    _hand_out(worker, pairings[handed_out])
                    handed_out += 1
            ready = wait([interrupt.fd, *(worker.pipe for worker in workers if worker.playing)])
            if interrupt.happened:
                return
            for worker in workers:
                if worker.pipe in ready and worker.playing is not None:
                    done[worker.playing.index] = _receive(worker)
                    worker.playing = None
        yield pairing, done.pop(pairing.index)


def _hand_out(worker: _Worker, pairing: Pairing) -> None:
    try:
        worker.pipe.send(pairing)
    except OSError:
        raise _ended(worker) from None
    worker.playing = pairing


def _receive(worker: _Worker) -> Played | Void:
    try:
        answer: Played | Void | str = worker.pipe.recv()
    except (EOFError, OSError):
        raise _ended(worker) from None
    if isinstance(answer, str):
        raise SandboxFailed(answer)
    return answer


def _ended(worker: _Worker) -> SandboxFailed:
    worker.process.join(PATIENCE_S)
    return SandboxFailed(f"a worker process ended unexpectedly (exit code {worker.process.exitcode})")


def _dismiss(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    patience = time.monotonic() + PATIENCE_S
    for worker in workers:
        worker.process.join(max(0.0, patience - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()


def _worker(work: Work, core: int, pipe: Connection, not_for_it: Sequence[Connection]) -> None:
    """The life of a worker process."""
    for other in not_for_it:
        other.close()
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    os.sched_setaffinity(0, {core})
    info = load(work.game)
    try:
        boxes = min(len(work.players) + info.max_seats, _MOST_BOXES)
        with (
            closing(waited_out(lambda: open_sandbox(work.sandbox))) as sandbox,
            closing(Pool(sandbox, box_limits(info), boxes)) as pool,
        ):
            while True:
                pipe.send(_play(info, work, pipe.recv(), pool))
    except EOFError:  # nobody is there to play for any more
        return
    except SandboxError as error:
        pipe.send(str(error))


def _leave(number: int, frame: FrameType | None) -> None:
    # Wherever this hits, something may just have been opened and have no owner yet: it ends with the process.
    warnings.simplefilter("ignore", ResourceWarning)
    sys.exit(0)


def _play(info: GameInfo, work: Work, pairing: Pairing, pool: Pool) -> Played | Void:
    """One match, or what kept the platform from playing it. Raises SandboxError where that is the sandbox."""
    players = [work.players[number] for number in pairing.seats]

    def attempt() -> Played:
        try:
            return play(info, players, work.seed + pairing.index, pool)
        except PlatformFailure as failure:
            if isinstance(failure.__cause__, SandboxError):
                raise failure.__cause__ from None
            raise

    reason = ""
    for _ in range(ATTEMPTS):
        try:
            return waited_out(attempt)
        except PlatformFailure as failure:
            reason = str(failure)
    return Void(reason)
