"""Checks the matches of an archive in several processes, and reports in the archive's order.

Theory of operation.

Processes:
- `jobs` processes are forked from this one, so that they share the manifest. Each opens the archive itself,
  because processes that share an open file also share its position.

Pipes:
- Those of ProcessPoolExecutor: scheduled matches in, findings out.

Trust:
- The archive is untrusted, in every process (agon.contest.archive.reader).

Failure:
- If a process dies, for lack of memory for example, the check ends with BadArchive: an archive is called
  sound only if every match was checked.
- Ctrl-C reaches all processes. The checking ones ignore it, and this one ends them.
"""

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from pathlib import Path

from agon.contest.archive.manifest import BadArchive, Manifest
from agon.contest.archive.match_check import MatchCheck, MatchFinding
from agon.contest.archive.reader import open_files
from agon.contest.formats import ScheduledMatch

FEW = 64  # matches: fewer are checked in this process, since starting others takes longer
_AT_ONCE = 8  # matches that a process gets together


def findings(
    check: MatchCheck, archive: Path, matches: Sequence[ScheduledMatch], jobs: int
) -> Iterator[MatchFinding]:
    """What was found of each match, in this order. check: for this process. Raises BadArchive."""
    if jobs == 1 or len(matches) < FEW:
        yield from map(check.of, matches)
        return
    processes = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("fork"), _open, (archive, check.manifest)
    )
    with processes:
        try:
            yield from processes.map(_find, matches, chunksize=_AT_ONCE)
        except BrokenProcessPool:
            raise BadArchive("a process that checked matches has died: out of memory?") from None
        finally:
            processes.shutdown(cancel_futures=True)


class _Process:
    """What one of the checking processes has opened. It stays open until the process ends."""

    open = ExitStack()
    check: MatchCheck


def _open(archive: Path, manifest: Manifest) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process.check = MatchCheck(_Process.open.enter_context(open_files(archive)), manifest)


def _find(scheduled: ScheduledMatch) -> MatchFinding:
    return _Process.check.of(scheduled)
