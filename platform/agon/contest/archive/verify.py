"""Is an archive, or a single record, what it says it is?

Digests show that the files are those the manifest was written for; they do not prove who wrote it. So every
match is also replayed from its record without bots (match_check.py, in parallel.py several at once): seed and
recorded answers must lead to the same record, byte for byte, and to the same output files, and standings.csv
and the results digest must follow from the records. The matches are those that the tournament's format
schedules, each of them, from the seeds that follow from the entrants, unless the manifest says why not
(schedule_check.py). What can be forged consistently even so, only a signature shows (sums_check.py).

The input is untrusted: see agon.contest.archive.reader, agon.contest.archive.manifest_reader and
games.core.record for the bounds. Findings are reported as text; the archive is never changed.

An archive may have a million matches. What its manifest lists is in a database on the disk
(agon.contest.archive.ledger), and findings are summed up as they come. In memory are the entrants, what
standings are made of, and, where pairings follow from results, these.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from agon.contest.archive import parallel, schedule_check, seeds_check
from agon.contest.archive.ledger import Ledger
from agon.contest.archive.manifest import LARGEST_BARE, LARGEST_OF_FILE, BadArchive, End, ResultsDigest
from agon.contest.archive.manifest_reader import Stated, read_manifest
from agon.contest.archive.match_check import Asked, Differences, check_match, contents
from agon.contest.archive.reader import Files, open_files
from agon.contest.archive.schedule_check import Schedule
from agon.contest.archive.signature import Signers
from agon.contest.archive.sums_check import Verdict, check_sums
from agon.contest.archive.writer import MANIFEST, SIGNATURE, STANDINGS, SUMS, Hashed, Standings
from agon.contest.formats import SERIES
from games.core.record import LARGEST_RECORD, BadRecord
from games.core.replay import check as check_record
from games.core.wording import clip

MOST_DIFFERENCES = 1_000  # and as many notes
_OWN = (MANIFEST, SUMS, SIGNATURE)  # files that the manifest does not list
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Report:
    """The findings. matches, files: how many were checked. notes: worth knowing, but not errors.

    signature: "unsigned", "signed by ..." or "forged"; "" for a record.
    """

    matches: int
    files: int
    differences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    signature: str = ""

    @property
    def sound(self) -> bool:
        """Whether no difference was found."""
        return not self.differences


def verify(
    path: Path,
    progress: Progress = lambda done, of: None,
    jobs: int = 1,
    signers: Signers | None = None,
) -> Report:
    """Check an archive (folder or zip) or a record (a .json file). Raises OSError if it cannot be read.

    progress is called with the matches checked so far and the number of all. jobs: processes. signers: whose
    signature the archive must have; without them it may have any, or none.
    """
    try:
        if path.is_file() and path.suffix == ".json":
            return _verify_record(path)
        with open_files(path) as files, closing(Ledger()) as ledger:
            return _verify_archive(files, ledger, progress, jobs, signers)
    except (BadArchive, BadRecord) as error:
        return Report(0, 0, (_line(str(error)),))
    except sqlite3.OperationalError as error:
        raise OSError(f"no room for temporary files: {error}") from None


def _verify_record(path: Path) -> Report:
    with open(path, "rb") as file:
        checked = check_record(file.read(LARGEST_RECORD + 1))
    return Report(1, 1, tuple(map(_line, checked.differences)))


def _verify_archive(
    files: Files, ledger: Ledger, progress: Progress, jobs: int, signers: Signers | None
) -> Report:
    ledger.add_present(files.entries())
    entry = ledger.entry(MANIFEST)
    if entry is None:
        raise BadArchive(f"{MANIFEST}: missing")
    largest = LARGEST_BARE + LARGEST_OF_FILE * ledger.files
    if entry.size > largest:
        raise BadArchive(f"{MANIFEST}: expected at most {largest >> 20} MiB for {ledger.files:,} files")
    own = Hashed(files.pieces(entry))
    try:
        manifest = read_manifest(own, ledger)
    except BadArchive:
        deque(own, maxlen=0)  # which says so if the file is damaged; what was read of it means nothing then
        raise
    schedule = schedule_check.schedule_of(manifest)
    verdict = check_sums(files, manifest, own.sha256.hexdigest(), signers)
    check = _Check(files, manifest, schedule, jobs)
    differences = _at_most(chain(verdict.differences, check.everything(progress)))
    notes = _at_most(_notes(manifest, verdict, signers))
    signature = f"signed by {verdict.by}" if verdict.kind == "signed" else verdict.kind
    return Report(ledger.matches, ledger.files, differences, notes, signature)


def _at_most(lines: Iterator[str]) -> tuple[str, ...]:
    some = [_line(text) for text in islice(lines, MOST_DIFFERENCES)]
    if len(some) == MOST_DIFFERENCES:
        some.append("and more: stopped here")
    return tuple(some)


def _notes(manifest: Stated, verdict: Verdict, signers: Signers | None) -> Iterator[str]:
    header, ledger = manifest.header, manifest.ledger
    if manifest.origin.match:
        yield f"one match, not a tournament: {_describe(manifest.origin.match)}"
    if verdict.kind == "signed" and signers is None:
        yield "whose key that is, you have to know: give the site's with --signer"
    if manifest.end == End.STOPPED:
        yield "the contest was stopped before its end"
    for index, why in ledger.lost():
        yield f"match {index} was played, but its record is lost: {why}"
    for state, why, count in ledger.reasons():
        matches = "1 match is" if count == 1 else f"{count} matches are"
        yield f"{matches} {state}{': ' if why else ''}{why}"
    if ledger.failed_matches:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(ledger.failed.items()))
        matches = "match" if ledger.failed_matches == 1 else "matches"
        yield f"attempts that failed, of {ledger.failed_matches} {matches}: {kinds}"
    for number, why in header.stopped:
        yield f"{header.entrants[number].name} was stopped by the site, which no record shows: {why}"
    for draw in header.draws:
        yield f"a salt of its own ({draw.why}, {draw.state}) was promised when it began: {draw.commitment}"
    if header.commitment:
        yield f"compare with what was published before the first match: {header.commitment}"


def _describe(match: Mapping[str, Any]) -> str:
    """Which match an archive of one says that it is."""
    words = f"match {match.get('id')} ({match.get('kind')}) of {match.get('competition')}"
    tournament = match.get("tournament")
    if isinstance(tournament, dict):
        words += f", in tournament {tournament.get('id')} ({tournament.get('name')})"
    return f"{words}, {match.get('date')}"


class _Check:
    """The check of one archive; every method yields differences as text."""

    def __init__(self, files: Files, manifest: Stated, schedule: Schedule, jobs: int) -> None:
        self._files = files
        self._manifest = manifest
        self._ledger = manifest.ledger
        self._schedule = schedule
        self._jobs = jobs
        self._table = Standings(manifest.header)
        self._without_result = 0
        self._recorded = ResultsDigest()

    def everything(self, progress: Progress) -> Iterator[str]:
        yield from self._listing()
        yield from self._which_match()
        yield from schedule_check.differences(self._manifest, self._schedule)
        yield from seeds_check.differences(self._manifest, self._schedule)
        yield from self._matches(progress)
        yield from self._standings()
        yield from self._results()
        yield from self._what_is_left()

    def _which_match(self) -> Iterator[str]:
        """Whether a site's archive of one match, and no other, says which match it is."""
        manifest = self._manifest
        match = manifest.origin.match
        if match and (manifest.header.format != SERIES or self._ledger.matches != 1):
            yield f"{MANIFEST}: match: stated for an archive of more than one match"
        if manifest.is_one_match and manifest.origin.site.get("key") and not match:
            yield f"{MANIFEST}: match: missing: which match this is"

    def _listing(self) -> Iterator[str]:
        """Files that are missing or not listed."""
        yield from (f"{path}: missing" for path in self._ledger.missing(_OWN))
        yield from (f"{path}: not in {MANIFEST}" for path in self._ledger.unlisted(_OWN))

    def _matches(self, progress: Progress) -> Iterator[str]:
        count = self._ledger.matches
        asked = (
            Asked(match, self._ledger.folder(_folder(match.scheduled.index)))
            for match in self._ledger.played()
        )
        check = partial(check_match, self._files, self._manifest.header)
        for done, finding in enumerate(parallel.findings(check, asked, count, self._jobs), 1):
            yield from finding.differences
            index = finding.scheduled.index
            self._recorded.add(index, finding.record)
            self._ledger.mark_read(_folder(index), besides=finding.strays)
            if finding.result is None:
                self._without_result += 1
            else:
                self._table.add(index, finding.result)
            progress(done, count)

    def _standings(self) -> Iterator[str]:
        differences: Differences = []
        self._ledger.mark_read(STANDINGS)
        data = contents(self._files, self._ledger.file(STANDINGS), STANDINGS, differences)
        yield from differences
        if data is None:
            return
        if self._without_result:
            yield f"{STANDINGS}: cannot be checked without all records"
            return
        yield from schedule_check.rounds(self._manifest, self._schedule, self._table.results)
        if data != self._table.csv(self._schedule.matches).encode():
            yield f"{STANDINGS}: not what the records lead to"

    def _results(self) -> Iterator[str]:
        if self._manifest.results != self._recorded.hex:
            yield f"{MANIFEST}: results: not the digest of the records"

    def _what_is_left(self) -> Iterator[str]:
        """Files that are listed and present but do not belong in an archive."""
        for path in self._ledger.unread():
            yield f"{path}: does not belong in an archive of these matches"


def _folder(index: int) -> str:
    return f"matches/{index}"


def _line(text: str) -> str:
    """One printable line, whatever the archive contains."""
    return clip(text, 300)
