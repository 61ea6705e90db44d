"""Plays matches in worker processes, one per core, and yields them in the order of the schedule.

- Processes: the command forks its workers before it starts any thread. Each worker is bound to a core, has
  its own sandbox and warm boxes, and plays one match at a time. Workers share nothing, so their number cannot
  change a result.
- Pipes: one per worker; scheduled matches and seeds go down, finished matches come up, pickled.
- Trust: both ends of a pipe run our code, so unpickling is safe: a bot's output is only text and bytes inside
  a match.
- Failure of a match: a failing sandbox is retried (retry.py); if it does not recover, the worker sends the
  reason, and the whole run ends with SandboxFailed. If the sandbox works but the match fails (the referee
  raises, the machine is too busy), it is tried ATTEMPTS times; then it is Void, and the run continues.
- Interruption: Ctrl-C reaches only the command, since workers have process groups of their own. The first
  Ctrl-C or SIGTERM makes `play_all` stop handing out matches: the generator ends, so that its consumer can
  finish writing. A second one raises Python's usual KeyboardInterrupt.
- The end: workers get SIGTERM, which unwinds the match that they are playing: sessions, boxes and the sandbox
  are closed on the way out. A worker that does not end within PATIENCE_S is killed; the backends make sure
  that boxes die with the process that opened them. If the command itself is killed, its workers find their
  pipes closed and end after the current match.
"""

import functools
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import NamedTuple

from agon.cli.game_code import stdout_to_stderr
from agon.cli.output import say
from agon.cli.retry import retry_sandbox
from agon.contest.arena import Played, Player, box_limits, play
from agon.contest.formats import ScheduledMatch
from agon.contest.platform_failure import PlatformFailure
from games.core.manifest import GameInfo, load
from games.core.shown_log import shown
from sandbox.api import MachineTooBusy, SandboxError
from sandbox.backends import open_sandbox
from sandbox.boxes.pool import Pool

ATTEMPTS = 3
PATIENCE_S = 10
_AHEAD = 64  # matches a worker may be ahead of the oldest unfinished one; bounds memory


class SandboxFailed(Exception):
    """The platform cannot continue; str(e) says why."""


class Void(NamedTuple):
    """A match that the platform failed to play at every attempt; no bot is at fault."""

    reason: str


@dataclass(frozen=True)
class Job:
    """The data that every worker has: the game's slug, the entrants by number, the sandbox's name."""

    game: str
    players: tuple[Player, ...]
    sandbox: str


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    playing: ScheduledMatch | None = None


class Interrupt:
    """A signal handler: the first SIGINT or SIGTERM sets `happened` and makes `fd` readable."""

    def __init__(self) -> None:
        self.happened = False
        self.fd, self._write = os.pipe()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.happened = True
        signal.signal(number, signal.default_int_handler)
        os.write(self._write, b"!")


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Within the block, the first Ctrl-C or SIGTERM only sets the Interrupt."""
    interrupt = Interrupt()
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def worker_processes(job: Job, count: int) -> Iterator[list[_Worker]]:
    """Start `count` workers, each bound to a core, and end them after the block.

    If there are fewer cores than workers, they share cores.
    """
    cores = sorted(os.sched_getaffinity(0))
    context = multiprocessing.get_context("fork")
    workers: list[_Worker] = []
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        for number in range(count):
            ours, theirs = context.Pipe()
            inherited = [worker.pipe for worker in workers] + [ours]
            arguments = (job, cores[number % len(cores)], theirs, inherited)
            process = context.Process(target=_worker, args=arguments, name=f"agon worker {number}")
            process.start()
            theirs.close()
            workers.append(_Worker(process, ours))
        yield workers
    finally:
        _terminate(workers)


def play_all(
    workers: Sequence[_Worker],
    scheduled_matches: Sequence[ScheduledMatch],
    seeds: Sequence[int],
    interrupt: Interrupt,
) -> Iterator[tuple[ScheduledMatch, Played | Void]]:
    """Play the matches from their seeds, and yield them in order. Ends early when interrupted.

    Raises SandboxFailed.
    """
    handed_out = 0
    done: dict[int, Played | Void] = {}
    for place, scheduled in enumerate(scheduled_matches):
        while scheduled.index not in done:
            most = min(len(scheduled_matches), place + _AHEAD * len(workers))
            for worker in workers:
                if worker.playing is None and handed_out < most:
                    _hand_out(worker, scheduled_matches[handed_out], seeds[handed_out])
                    handed_out += 1
            ready = wait([interrupt.fd, *(worker.pipe for worker in workers if worker.playing)])
            if interrupt.happened:
                return
            for worker in workers:
                if worker.pipe in ready and worker.playing is not None:
                    done[worker.playing.index] = _receive(worker)
                    worker.playing = None
        yield scheduled, done.pop(scheduled.index)


def _hand_out(worker: _Worker, scheduled: ScheduledMatch, seed: int) -> None:
    try:
        worker.pipe.send((scheduled, seed))
    except OSError:
        raise _worker_died(worker) from None
    worker.playing = scheduled


def _receive(worker: _Worker) -> Played | Void:
    try:
        answer: Played | Void | str = worker.pipe.recv()
    except (EOFError, OSError):
        raise _worker_died(worker) from None
    if isinstance(answer, str):
        raise SandboxFailed(answer)
    return answer


def _worker_died(worker: _Worker) -> SandboxFailed:
    worker.process.join(PATIENCE_S)
    return SandboxFailed(f"a worker process ended unexpectedly (exit code {worker.process.exitcode})")


def _terminate(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    deadline = time.monotonic() + PATIENCE_S
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()


def _worker(job: Job, core: int, pipe: Connection, inherited: Sequence[Connection]) -> None:
    """The main function of a worker process. inherited: ends of other workers' pipes, which fork copied."""
    for end in inherited:
        end.close()
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    os.sched_setaffinity(0, {core})
    info = load(job.game)
    try:
        with (
            stdout_to_stderr(),
            closing(retry_sandbox(lambda: open_sandbox(job.sandbox))) as sandbox,
            closing(Pool(sandbox, box_limits(info))) as pool,
        ):
            while True:
                scheduled, seed = pipe.recv()
                pipe.send(_play(info, job, scheduled, seed, pool))
    except EOFError:  # the command has ended
        return
    except SandboxError as error:
        pipe.send(str(error))


def _exit(number: int, frame: FrameType | None) -> None:
    # The signal may arrive between opening a file and storing it: the process's end closes it, so do not
    # warn.
    warnings.simplefilter("ignore", ResourceWarning)
    sys.exit(0)


def _play(info: GameInfo, job: Job, scheduled: ScheduledMatch, seed: int, pool: Pool) -> Played | Void:
    """Play one match; Void if the platform failed to. Raises SandboxError if the sandbox failed.

    MachineTooBusy makes the match void instead: other matches may need less of the machine.
    """
    players = [job.players[number] for number in scheduled.seats]

    def attempt() -> Played:
        try:
            return _described(play(info, players, seed, pool))
        except PlatformFailure as failure:
            cause = failure.__cause__
            if isinstance(cause, SandboxError) and not isinstance(cause, MachineTooBusy):
                raise cause from None
            raise

    reason = ""
    for _ in range(ATTEMPTS):
        try:
            return retry_sandbox(attempt)
        except PlatformFailure as failure:
            reason = str(failure)
    return Void(reason)


def _described(played: Played) -> Played:
    """The match as a site would show it, after a line for the game's author if that is not what it says."""
    log, wrong = shown(played.log)
    if wrong:
        _say_once(f"{log.game}: {wrong}; replays have null there")
    return replace(played, log=log)


@functools.cache
def _say_once(line: str) -> None:
    say(line)
