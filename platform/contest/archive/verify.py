"""Is an archive, or a single record, what it says it is?

Digests show that the files are those the manifest was written for; they do not prove who wrote it. So every
match is also replayed from its record without bots (match_check.py, in parallel.py several at once): seed and
recorded answers must lead to the same record, byte for byte, and to the same output files, the seats must be
those that the tournament's format schedules, and standings.csv and the results digest must follow from the
records.

The input is untrusted: see contest.archive.reader, contest.archive.manifest and games.core.record for the
bounds. Findings are reported as text; the archive is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from contest import formats
from contest.archive import parallel
from contest.archive.manifest import BadArchive, Manifest, results_digest
from contest.archive.manifest import from_json as manifest_from_json
from contest.archive.match_check import Finding, Found, MatchCheck, contents
from contest.archive.reader import Files, open_files
from contest.archive.writer import MANIFEST, STANDINGS, standings_csv
from contest.formats import BadFormat, Pairing
from contest.points import POINTS
from contest.secret_seeds import commitment
from games.core.manifest import UnknownGame, load
from games.core.record import LARGEST_RECORD, BadRecord
from games.core.replay import check as check_record
from games.core.wording import clip

MOST_DIFFERENCES = 1_000
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Report:
    """The findings. matches, files: how many were checked. notes: worth knowing, but not errors."""

    matches: int
    files: int
    differences: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.differences


def verify(path: Path, progress: Progress = lambda done, of: None, jobs: int = 1) -> Report:
    """Check an archive (folder or zip) or a record (a .json file). Raises OSError if it cannot be read.

    progress is called with the matches checked so far and the number of all. jobs: processes.
    """
    try:
        if path.is_file() and path.suffix == ".json":
            return _verify_record(path)
        with open_files(path) as files:
            return _verify_archive(path, files, progress, jobs)
    except (BadArchive, BadRecord) as error:
        return Report(0, 0, (_line(str(error)),))


def _verify_record(path: Path) -> Report:
    with open(path, "rb") as file:
        checked = check_record(file.read(LARGEST_RECORD + 1))
    return Report(1, 1, tuple(map(_line, checked.differences)))


def _verify_archive(path: Path, files: Files, progress: Progress, jobs: int) -> Report:
    if MANIFEST not in files.paths:
        raise BadArchive(f"{MANIFEST}: missing")
    manifest = manifest_from_json(files.read(MANIFEST))
    schedule = _schedule(manifest)
    found = [
        _line(difference)
        for difference in islice(
            _Check(path, files, manifest, schedule, jobs).everything(progress), MOST_DIFFERENCES
        )
    ]
    if len(found) == MOST_DIFFERENCES:
        found.append("and more: stopped here")
    return Report(len(manifest.matches), len(files.paths), tuple(found), _notes(manifest, schedule))


def _notes(manifest: Manifest, schedule: Sequence[Pairing]) -> tuple[str, ...]:
    header = manifest.header
    notes = []
    notes += [
        _line(f"match {index} was played, but its record is lost: {why}") for index, why in manifest.lost
    ]
    left_out = len(schedule) - len(manifest.matches) - len(manifest.lost)
    if left_out > 0:
        notes.append(
            f"{left_out} of {len(schedule)} scheduled matches are not in the archive: stopped early, or void"
        )
    notes += [
        _line(f"{header.entrants[number].name} was put out by the site, which no record shows: {why}")
        for number, why in header.stopped
    ]
    if header.commitment:
        notes.append(f"compare with what was published before the first match: {header.commitment}")
    return tuple(notes)


class _Check:
    """The check of one archive; every method yields differences as text."""

    def __init__(
        self, path: Path, files: Files, manifest: Manifest, schedule: Sequence[Pairing], jobs: int
    ) -> None:
        self._path = path
        self._files = files
        self._manifest = manifest
        self._schedule = schedule
        self._jobs = jobs
        self._findings: list[Finding] = []

    def everything(self, progress: Progress) -> Iterator[str]:
        yield from self._commitment()
        yield from self._listing()
        yield from self._matches(progress)
        yield from self._standings()
        yield from self._results()
        yield from self._what_is_left()

    def _commitment(self) -> Iterator[str]:
        """Whether the revealed secret matches the commitment."""
        header = self._manifest.header
        if header.commitment and header.commitment != commitment(header.salt or header.seed):
            secret = "salt" if header.salt else "seed"
            yield f"{MANIFEST}: commitment: not the SHA-256 of the {secret}"

    def _listing(self) -> Iterator[str]:
        """Files that are missing or not listed."""
        present = self._files.paths.keys() - {MANIFEST}
        listed = self._manifest.files.keys()
        yield from (f"{path}: missing" for path in sorted(listed - present))
        yield from (f"{path}: not in {MANIFEST}" for path in sorted(present - listed))

    def _matches(self, progress: Progress) -> Iterator[str]:
        matches = self._manifest.matches
        check = MatchCheck(self._files, self._manifest)
        for finding in parallel.findings(check, self._path, matches, self._jobs):
            pairing = matches[len(self._findings)]
            if pairing not in self._schedule[pairing.index : pairing.index + 1]:
                yield f"matches/{pairing.index}: not the match that the format and the seed schedule there"
            yield from finding.differences
            self._findings.append(finding)
            progress(len(self._findings), len(matches))

    def _standings(self) -> Iterator[str]:
        found: Found = []
        data = contents(self._files, self._manifest, STANDINGS, found)
        yield from found
        if data is None:
            return
        results = [finding.result for finding in self._findings if finding.result is not None]
        if len(results) < len(self._manifest.matches):
            yield f"{STANDINGS}: cannot be checked without all records"
        elif data != standings_csv(self._manifest.header, results).encode():
            yield f"{STANDINGS}: not what the records lead to"

    def _results(self) -> Iterator[str]:
        claimed = self._manifest.results
        if claimed and claimed != results_digest(
            (pairing.index, finding.record)
            for pairing, finding in zip(self._manifest.matches, self._findings, strict=True)
        ):
            yield f"{MANIFEST}: results: not the digest of the records"

    def _what_is_left(self) -> Iterator[str]:
        """Files that are listed and present but do not belong in an archive."""
        read = {STANDINGS}.union(*(finding.read for finding in self._findings))
        for path in sorted(self._manifest.files.keys() & self._files.paths.keys() - read):
            yield f"{path}: does not belong in an archive of these matches"


def _schedule(manifest: Manifest) -> Sequence[Pairing]:
    """The matches that this format, seed and number of entrants make. Raises BadArchive."""
    header = manifest.header
    try:
        info = load(header.game)
        if header.points not in POINTS:
            raise BadArchive(f"{MANIFEST}: points: unknown: {header.points!r}")
        if not manifest.matches and not header.seats:
            return []
        if not info.min_seats <= header.seats <= info.max_seats:
            raise BadArchive(
                f"{MANIFEST}: seats: expected {info.min_seats} to {info.max_seats}, got {header.seats}"
            )
        if header.format == formats.SERIES:
            return _series(manifest)
        return formats.schedule(
            header.format, len(header.entrants), header.seats, header.rounds, header.seeds.of_seatings()
        )
    except (UnknownGame, BadFormat) as error:
        raise BadArchive(f"{MANIFEST}: {error}") from None


def _series(manifest: Manifest) -> Sequence[Pairing]:
    """One seating repeated, which only the matches themselves state."""
    seats = manifest.matches[0].seats if manifest.matches else ()
    if seats and len(seats) != manifest.header.seats:
        raise BadArchive(f"{MANIFEST}: seats: expected {len(seats)}, got {manifest.header.seats}")
    return formats.series(seats, manifest.header.rounds)


def _line(text: str) -> str:
    """One printable line, whatever the archive contains."""
    return clip(text, 300)
