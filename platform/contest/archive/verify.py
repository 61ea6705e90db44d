"""Is an archive, or a single record, what it says it is?

Digests show that the files are those the manifest was written for; they do not prove who wrote it. So every
match is also replayed from its record without bots: seed and recorded replies must lead to the same messages,
frames, faults, scores, ranks and output files, the seats must be those that the tournament's format
schedules, and standings.csv must follow from the records.

The input is untrusted: see contest.archive.reader, contest.archive.manifest and games.core.record for the
bounds. Findings are reported as text; the archive is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contest import formats, standings
from contest.archive.manifest import BadArchive, Manifest
from contest.archive.manifest import from_json as manifest_from_json
from contest.archive.reader import Files, open_files
from contest.archive.writer import MANIFEST, STANDINGS, digest, game_files, safe_name, standings_csv
from contest.formats import BadFormat, Pairing
from contest.points import POINTS, Result
from contest.secret_seeds import commitment
from games.core.manifest import UnknownGame, load
from games.core.record import LARGEST_RECORD, BadRecord, Record, from_json
from games.core.replay import differences, record_again, replay, rerun
from games.core.wording import clip

MOST_DIFFERENCES = 1_000
Progress = Callable[[int, int], None]
Contents = Generator[str, None, bytes | None]


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


def verify(path: Path, progress: Progress = lambda done, of: None) -> Report:
    """Check an archive (folder or zip) or a record (a .json file). Raises OSError if it cannot be read.

    progress is called with the matches checked so far and the number of all.
    """
    try:
        if path.is_file() and path.suffix == ".json":
            return _verify_record(path)
        with open_files(path) as files:
            return _verify_archive(files, progress)
    except (BadArchive, BadRecord) as error:
        return Report(0, 0, (_line(str(error)),))


def _verify_record(path: Path) -> Report:
    with open(path, "rb") as file:
        record = from_json(file.read(LARGEST_RECORD + 1))
    found = differences(record, replay(record))
    return Report(1, 1, tuple(map(_line, found)))


def _verify_archive(files: Files, progress: Progress) -> Report:
    if MANIFEST not in files.paths:
        raise BadArchive(f"{MANIFEST}: missing")
    manifest = manifest_from_json(files.read(MANIFEST))
    schedule = _schedule(manifest)
    check = _Check(files, manifest, schedule)
    found: list[str] = []
    for difference in check.everything(progress):
        found.append(_line(difference))
        if len(found) == MOST_DIFFERENCES:
            found.append("and more: stopped here")
            break
    return Report(len(manifest.matches), len(files.paths), tuple(found), _notes(manifest, schedule))


def _notes(manifest: Manifest, schedule: Sequence[Pairing]) -> tuple[str, ...]:
    header = manifest.header
    notes = []
    left_out = len(schedule) - len(manifest.matches)
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

    def __init__(self, files: Files, manifest: Manifest, schedule: Sequence[Pairing]) -> None:
        self._files = files
        self._manifest = manifest
        self._schedule = schedule
        self._read: set[str] = set()
        self._folders: dict[str, list[str]] = {}
        for path in sorted(files.paths):
            self._folders.setdefault(path.rpartition("/")[0], []).append(path)
        self._results: list[Result] = []

    def everything(self, progress: Progress) -> Iterator[str]:
        yield from self._commitment()
        yield from self._listing()
        matches = self._manifest.matches
        for done, pairing in enumerate(matches, start=1):
            if pairing not in self._schedule[pairing.index : pairing.index + 1]:
                yield f"matches/{pairing.index}: not the match that the format and the seed schedule there"
            yield from self._match(pairing)
            progress(done, len(matches))
        yield from self._standings()
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

    def _match(self, pairing: Pairing) -> Iterator[str]:
        folder = f"matches/{pairing.index}"
        path = f"{folder}/record.json"
        done = len(self._results)
        data = yield from self._contents(path)
        if data is not None:
            try:
                record = from_json(data)
                yield from (f"{path}: {difference}" for difference in self._seating(pairing, record))
                yield from self._played_again(pairing, record)
            except BadRecord as error:
                yield f"{path}: {error}"
            except Exception as error:  # a forged record may make a referee fail as no bot can
                yield f"{path}: cannot be played again: {type(error).__name__}: {error}"
        if len(self._results) == done:  # it could not be replayed: check at least the digests
            for other in self._folders.get(folder, ()):
                yield from self._contents(other)

    def _played_again(self, pairing: Pairing, record: Record) -> Iterator[str]:
        folder = f"matches/{pairing.index}"
        driver = rerun(record)
        again = record_again(record, driver)
        yield from (f"{folder}/record.json: {difference}" for difference in differences(record, again))
        names = [seat.name for seat in record.seats]
        for name, text in game_files(record.game, names, pairing, driver.files).items():
            data = yield from self._contents(f"{folder}/{name}")
            if data is not None and data != text.encode():
                yield f"{folder}/{name}: not what the record leads to"
        for seat, info in enumerate(record.seats):
            yield from self._contents(f"{folder}/{seat}-{safe_name(info.name)}.stderr")
        if len(record.seats) == len(pairing.seats):
            self._results.append(standings.result_of(again, pairing.seats))

    def _seating(self, pairing: Pairing, record: Record) -> Iterator[str]:
        """Whether it is the record of this match: its game, its seed, its bots in their seats."""
        header = self._manifest.header
        if record.game != header.game:
            yield f"game: expected {header.game}, got {record.game}"
        seats = tuple(header.entrants[number] for number in pairing.seats)
        expected = header.seeds.of_attempts(pairing.index, [seat.submission for seat in seats])
        if record.seed not in expected:
            yield f"seed: expected {expected[0]}, got {record.seed}"
        if record.seats != seats:
            yield "seats: not the entrants that the manifest seats there"

    def _standings(self) -> Iterator[str]:
        data = yield from self._contents(STANDINGS)
        if data is None:
            return
        if len(self._results) < len(self._manifest.matches):
            yield f"{STANDINGS}: cannot be checked without all records"
        elif data != standings_csv(self._manifest.header, self._results).encode():
            yield f"{STANDINGS}: not what the records lead to"

    def _what_is_left(self) -> Iterator[str]:
        """Files that are listed and present but do not belong in an archive."""
        for path in sorted(self._manifest.files.keys() & self._files.paths.keys() - self._read):
            yield f"{path}: does not belong in an archive of these matches"

    def _contents(self, path: str) -> Contents:
        """The contents of a file that belongs here; None if it is missing or cannot be read."""
        if path in self._read:
            return None
        self._read.add(path)
        if path not in self._files.paths:
            if path not in self._manifest.files:
                yield f"{path}: missing, and not in {MANIFEST}"
            return None
        try:
            data = self._files.read(path)
        except BadArchive as error:
            yield str(error)
            return None
        expected = self._manifest.files.get(path)
        if expected is not None and digest(data) != expected:
            yield f"{path}: changed: its size or SHA-256 is not the one in {MANIFEST}"
        return data


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
