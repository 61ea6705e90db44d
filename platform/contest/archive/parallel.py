"""Checks the matches of an archive in several processes, and reports in the archive's order.

Processes. Each is forked, so that it shares the manifest, and opens the archive itself: two processes that
read from one open file would move each other's place in it. Failure. A process that dies (of too little
memory, say) ends the check with BadArchive: nothing is called sound that was not looked at.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from pathlib import Path

from contest.archive.manifest import BadArchive, Manifest
from contest.archive.match_check import Finding, MatchCheck
from contest.archive.reader import open_files
from contest.formats import Pairing

FEW = 64  # matches that are not worth the start of processes
_AT_ONCE = 8  # matches that a process gets together


def findings(check: MatchCheck, archive: Path, matches: Sequence[Pairing], jobs: int) -> Iterator[Finding]:
    """What was found of each match, in this order. check: for this process. Raises BadArchive."""
    if jobs == 1 or len(matches) < FEW:
        yield from map(check.of, matches)
        return
    processes = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("fork"), _open, (archive, check.manifest, check.seeds)
    )
    with processes:
        try:
            yield from processes.map(_find, matches, chunksize=_AT_ONCE)
        except BrokenProcessPool:
            raise BadArchive("a process that checked matches has died: out of memory?") from None
        finally:
            processes.shutdown(cancel_futures=True)


class _Process:
    """What one process has opened, until it ends."""

    open = ExitStack()
    check: MatchCheck


def _open(archive: Path, manifest: Manifest, seeds: Mapping[int, int]) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches all of them, and one of them ends the others
    _Process.check = MatchCheck(_Process.open.enter_context(open_files(archive)), manifest, seeds)


def _find(pairing: Pairing) -> Finding:
    return _Process.check.of(pairing)
