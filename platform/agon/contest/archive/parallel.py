"""Checks the matches of an archive in several processes, and reports in the archive's order.

Theory of operation.

Processes:
- `jobs` processes are forked from this one, so that they share the header and the open archive, which has no
  position (agon.contest.archive.reader). Only this process uses the ledger: what is known of a match's files
  goes with the match.

Pipes:
- Those of ProcessPoolExecutor: matches in, findings out. Only a few of either wait for each process.

Trust:
- The archive is untrusted, in every process (agon.contest.archive.reader).

Failure:
- If a process dies, for lack of memory for example, the check ends with BadArchive: an archive is called
  sound only if every match was checked.
- Ctrl-C reaches all processes. The checking ones ignore it, and this one ends them.
"""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from agon.contest.archive.manifest import BadArchive
from agon.contest.archive.match_check import Asked, MatchFinding

FEW = 64  # matches: fewer are checked in this process, since starting others takes longer
_TOGETHER = 8  # matches that a process gets together
_AHEAD = 8  # times that, for each process
Check = Callable[[Asked], MatchFinding]


def findings(check: Check, asked: Iterable[Asked], count: int, jobs: int) -> Iterator[MatchFinding]:
    """What was found of each match, in this order; count: how many there are. Raises BadArchive."""
    if jobs == 1 or count < FEW:
        yield from map(check, asked)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _begin, (check,)) as processes:
        try:
            yield from _in_order(processes, iter(asked), jobs * _AHEAD)
        except BrokenProcessPool:
            raise BadArchive("a process that checked matches has died: out of memory?") from None
        finally:
            processes.shutdown(cancel_futures=True)


def _in_order(processes: ProcessPoolExecutor, asked: Iterator[Asked], ahead: int) -> Iterator[MatchFinding]:
    waiting: deque[Future[list[MatchFinding]]] = deque()
    while some := list(islice(asked, _TOGETHER)):
        waiting.append(processes.submit(_find, some))
        if len(waiting) > ahead:
            yield from waiting.popleft().result()
    for batch in waiting:
        yield from batch.result()


class _Process:
    """What one of the checking processes has."""

    check: Check


def _begin(check: Check) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process.check = check


def _find(asked: list[Asked]) -> list[MatchFinding]:
    return [_Process.check(match) for match in asked]
