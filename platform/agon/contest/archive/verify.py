"""Is an archive, or a single record, what it says it is?

Digests show that the files are those the manifest was written for; they do not prove who wrote it. So every
match is also replayed from its record without bots (match_check.py, in parallel.py several at once): seed and
recorded answers must lead to the same record, byte for byte, and to the same output files, and standings.csv
and the results digest must follow from the records. The matches are those that the tournament's format
schedules, each of them, from the seeds that follow from the entrants, unless the manifest says why not
(schedule_check.py). What can be forged consistently even so, only a signature shows (sums_check.py).

The input is untrusted: see agon.contest.archive.reader, agon.contest.archive.manifest_reader and
games.core.record for the bounds. Findings are reported as text; the archive is never changed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from agon.contest.archive import parallel, schedule_check, seeds_check
from agon.contest.archive.manifest import BadArchive, Digest, End, Fate, Manifest, results_digest
from agon.contest.archive.manifest_reader import from_json as manifest_from_json
from agon.contest.archive.match_check import Found, MatchCheck, MatchFinding, contents
from agon.contest.archive.reader import Files, open_files
from agon.contest.archive.signature import Signers
from agon.contest.archive.sums_check import Verdict, check_sums
from agon.contest.archive.writer import MANIFEST, SIGNATURE, STANDINGS, SUMS, digest, standings_csv
from agon.contest.formats import SERIES, ScheduledMatch
from games.core.record import LARGEST_RECORD, BadRecord
from games.core.replay import check as check_record
from games.core.wording import clip

MOST_DIFFERENCES = 1_000
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
        with open_files(path) as files:
            return _verify_archive(path, files, progress, jobs, signers)
    except (BadArchive, BadRecord) as error:
        return Report(0, 0, (_line(str(error)),))


def _verify_record(path: Path) -> Report:
    with open(path, "rb") as file:
        checked = check_record(file.read(LARGEST_RECORD + 1))
    return Report(1, 1, tuple(map(_line, checked.differences)))


def _verify_archive(
    path: Path, files: Files, progress: Progress, jobs: int, signers: Signers | None
) -> Report:
    if MANIFEST not in files.paths:
        raise BadArchive(f"{MANIFEST}: missing")
    manifest, own = _read_manifest(files)
    schedule = schedule_check.schedule_of(manifest)
    verdict = check_sums(files, manifest, own, signers)
    check = _Check(path, files, manifest, schedule, jobs)
    everything = chain(verdict.differences, check.everything(progress))
    differences = [_line(text) for text in islice(everything, MOST_DIFFERENCES)]
    if len(differences) == MOST_DIFFERENCES:
        differences.append("and more: stopped here")
    notes = tuple(map(_line, _notes(manifest, verdict, signers)))
    signature = f"signed by {verdict.by}" if verdict.kind == "signed" else verdict.kind
    return Report(len(manifest.matches), len(files.paths), tuple(differences), notes, signature)


def _read_manifest(files: Files) -> tuple[Manifest, Digest]:
    data = files.read(MANIFEST)
    own = digest(data)
    return manifest_from_json(data), own


def _notes(manifest: Manifest, verdict: Verdict, signers: Signers | None) -> Iterator[str]:
    header = manifest.header
    if manifest.origin.match:
        yield f"one match, not a tournament: {_in_words(manifest.origin.match)}"
    if verdict.kind == "signed" and signers is None:
        yield "whose key that is, you have to know: give the site's with --signer"
    if manifest.end == End.STOPPED:
        yield "the contest was stopped before its end"
    why_not: Counter[tuple[Fate, str]] = Counter()
    for scheduled, state, why, *_ in manifest.absent:
        if state == Fate.LOST:
            yield f"match {scheduled.index} was played, but its record is lost: {why}"
        else:
            why_not[state, why] += 1
    for (state, why), count in why_not.items():
        matches = "1 match is" if count == 1 else f"{count} matches are"
        yield f"{matches} {state}{': ' if why else ''}{why}"
    failed = [*filter(None, manifest.failed), *(absent.failed for absent in manifest.absent if absent.failed)]
    if failed:
        kinds = Counter(attempt.kind for attempts in failed for attempt in attempts)
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        yield f"attempts that failed, of {len(failed)} {'match' if len(failed) == 1 else 'matches'}: {counts}"
    for number, why in header.stopped:
        yield f"{header.entrants[number].name} was stopped by the site, which no record shows: {why}"
    for draw in header.draws:
        yield f"a salt of its own ({draw.why}, {draw.state}) was promised when it began: {draw.commitment}"
    if header.commitment:
        yield f"compare with what was published before the first match: {header.commitment}"


def _in_words(match: Mapping[str, Any]) -> str:
    """Which match an archive of one says that it is."""
    words = f"match {match.get('id')} ({match.get('kind')}) of {match.get('competition')}"
    tournament = match.get("tournament")
    if isinstance(tournament, dict):
        words += f", in tournament {tournament.get('id')} ({tournament.get('name')})"
    return f"{words}, {match.get('date')}"


class _Check:
    """The check of one archive; every method yields differences as text."""

    def __init__(
        self, path: Path, files: Files, manifest: Manifest, schedule: Sequence[ScheduledMatch], jobs: int
    ) -> None:
        self._path = path
        self._files = files
        self._manifest = manifest
        self._schedule = schedule
        self._jobs = jobs
        self._findings: list[MatchFinding] = []
        self._seeds = seeds_check.first_seeds(manifest, schedule)

    def everything(self, progress: Progress) -> Iterator[str]:
        yield from self._listing()
        yield from self._which_match()
        yield from schedule_check.differences(self._manifest, self._schedule)
        yield from seeds_check.differences(self._manifest, self._seeds)
        yield from self._matches(progress)
        yield from self._standings()
        yield from self._results()
        yield from self._what_is_left()

    def _which_match(self) -> Iterator[str]:
        """Whether a site's archive of one match, and no other, says which match it is."""
        manifest = self._manifest
        match = manifest.origin.match
        if match and (manifest.header.format != SERIES or len(manifest.matches) != 1):
            yield f"{MANIFEST}: match: stated for an archive of more than one match"
        if manifest.is_one_match and manifest.origin.site.get("key") and not match:
            yield f"{MANIFEST}: match: missing: which match this is"

    def _listing(self) -> Iterator[str]:
        """Files that are missing or not listed."""
        present = self._files.paths.keys() - {MANIFEST, SUMS, SIGNATURE}
        listed = self._manifest.files.keys()
        yield from (f"{path}: missing" for path in sorted(listed - present))
        yield from (f"{path}: not in {MANIFEST}" for path in sorted(present - listed))

    def _matches(self, progress: Progress) -> Iterator[str]:
        matches = self._manifest.matches
        check = MatchCheck(self._files, self._manifest)
        for finding in parallel.findings(check, self._path, matches, self._jobs):
            yield from finding.differences
            self._findings.append(finding)
            progress(len(self._findings), len(matches))

    def _standings(self) -> Iterator[str]:
        found: Found = []
        data = contents(self._files, self._manifest, STANDINGS, found)
        yield from found
        if data is None:
            return
        results = {
            scheduled.index: finding.result
            for scheduled, finding in zip(self._manifest.matches, self._findings, strict=True)
            if finding.result is not None
        }
        if len(results) < len(self._manifest.matches):
            yield f"{STANDINGS}: cannot be checked without all records"
            return
        yield from schedule_check.rounds(self._manifest, self._schedule, results)
        if data != standings_csv(self._manifest.header, results, len(self._schedule)).encode():
            yield f"{STANDINGS}: not what the records lead to"

    def _results(self) -> Iterator[str]:
        if self._manifest.results != results_digest(
            (scheduled.index, finding.record)
            for scheduled, finding in zip(self._manifest.matches, self._findings, strict=True)
        ):
            yield f"{MANIFEST}: results: not the digest of the records"

    def _what_is_left(self) -> Iterator[str]:
        """Files that are listed and present but do not belong in an archive."""
        read = {STANDINGS}.union(*(finding.read for finding in self._findings))
        for path in sorted(self._manifest.files.keys() & self._files.paths.keys() - read):
            yield f"{path}: does not belong in an archive of these matches"


def _line(text: str) -> str:
    """One printable line, whatever the archive contains."""
    return clip(text, 300)
