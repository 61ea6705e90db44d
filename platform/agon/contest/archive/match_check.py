"""One match of an archive: do its files have their digests, and do they follow from its record?"""

from typing import NamedTuple

from agon.contest.archive.manifest import BadArchive, Manifest
from agon.contest.archive.reader import Files
from agon.contest.archive.writer import MANIFEST, RECORD, TIMES, digest, game_files, safe_name
from agon.contest.formats import ScheduledMatch
from agon.contest.points import Result
from agon.contest.standings import result_of
from games.core import timing
from games.core.errors import describe
from games.core.manifest import load
from games.core.match_log import MatchLog, check_fits
from games.core.record import BadRecord, Record, from_json
from games.core.replay import Checked, check

MOST_DIFFERENCES = 1_000
Found = list[str]


class MatchFinding(NamedTuple):
    """What the check of one match found. differences: in words. read: the paths of the files that were read.

    record: the digest of its record, "" if there is none. result: None if the record could not be replayed.
    """

    differences: tuple[str, ...]
    read: frozenset[str]
    record: str
    result: Result | None


class MatchCheck:
    """Checks the matches of one archive, one by one."""

    def __init__(self, files: Files, manifest: Manifest) -> None:
        self._files = files
        self.manifest = manifest
        self._seeds = dict(zip((match.index for match in manifest.matches), manifest.seeds, strict=True))
        self._folders: dict[str, list[str]] = {}
        for path in sorted(files.paths):
            self._folders.setdefault(path.rpartition("/")[0], []).append(path)

    def of(self, scheduled: ScheduledMatch) -> MatchFinding:
        """Check the match that was played for this place in the schedule."""
        present = self._folders.get(f"matches/{scheduled.index}", [])
        return _OneMatch(self._files, self.manifest, scheduled, self._seeds[scheduled.index]).finding(present)


class _OneMatch:
    def __init__(self, files: Files, manifest: Manifest, scheduled: ScheduledMatch, seed: int) -> None:
        self._files = files
        self._manifest = manifest
        self._scheduled = scheduled
        self._seed = seed
        self._folder = f"matches/{scheduled.index}"
        self._found: Found = []
        self._read: set[str] = set()
        self._result: Result | None = None

    def finding(self, present: list[str]) -> MatchFinding:
        path = f"{self._folder}/{RECORD}"
        data = self._contents(RECORD)
        if data is not None:
            try:
                self._replay(data)
            except BadRecord as error:
                self._found.append(f"{path}: {error}")
            except Exception as error:  # a forged record may make a referee fail as no bot can
                why = describe(error, load(self._manifest.header.game).folder)
                self._found.append(f"{path}: cannot be played again: {why}")
        if self._result is None:  # it could not be replayed: check at least the digests
            for other in present:
                self._contents(other.rpartition("/")[2])
        return MatchFinding(
            tuple(self._found[:MOST_DIFFERENCES]),
            frozenset(self._read),
            digest(data).sha256 if data is not None else "",
            self._result,
        )

    def _replay(self, data: bytes) -> None:
        record = from_json(data)
        self._seating(record)
        checked = check(data, record)
        log = checked.log
        self._found += [f"{self._folder}/{RECORD}: {difference}" for difference in checked.differences]
        self._times(log)
        self._output_files(checked)
        for seat, info in enumerate(log.seats):
            self._contents(f"{seat}-{safe_name(info.name)}.stderr")
        if len(log.seats) == len(self._scheduled.seats):
            self._result = result_of(log, self._scheduled.seats)

    def _seating(self, record: Record) -> None:
        """Whether it is the record of this match: its game, its seed, its bots in their seats."""
        header = self._manifest.header
        path = f"{self._folder}/{RECORD}"
        if record.game != header.game:
            self._found.append(f"{path}: game: expected {header.game}, got {record.game}")
        seats = tuple(header.entrants[number] for number in self._scheduled.seats)
        if record.seed != self._seed:
            self._found.append(f"{path}: seed: expected {self._seed}, got {record.seed}")
        if record.seats != seats:
            self._found.append(f"{path}: seats: not the entrants that the manifest seats there")

    def _times(self, log: MatchLog) -> None:
        """Check that there is a time for each answer. The times themselves cannot be verified."""
        if f"{self._folder}/{TIMES}" not in self._manifest.files:
            return
        data = self._contents(TIMES)
        if data is not None:
            try:
                check_fits(timing.from_json(data), log.record)
            except BadRecord as error:
                self._found.append(f"{self._folder}/{TIMES}: {error}")

    def _output_files(self, checked: Checked) -> None:
        names = [seat.name for seat in checked.log.seats]
        for name, text in game_files(checked.log.game, names, self._scheduled, checked.files).items():
            data = self._contents(name)
            if data is not None and data != text.encode():
                self._found.append(f"{self._folder}/{name}: not what the record leads to")

    def _contents(self, name: str) -> bytes | None:
        """The contents of a file of this match; None if it is missing, cannot be read or was read before."""
        path = f"{self._folder}/{name}"
        if path in self._read:
            return None
        self._read.add(path)
        return contents(self._files, self._manifest, path, self._found)


def contents(files: Files, manifest: Manifest, path: str, found: Found) -> bytes | None:
    """The contents of a file that belongs here; None if it is missing or cannot be read.

    What is wrong with the file is appended to `found`.
    """
    if path not in files.paths:
        if path not in manifest.files:
            found.append(f"{path}: missing, and not in {MANIFEST}")
        return None
    try:
        data = files.read(path)
    except BadArchive as error:
        found.append(str(error))
        return None
    expected = manifest.files.get(path)
    if expected is not None and digest(data) != expected:
        found.append(f"{path}: changed: its size or SHA-256 is not the one in {MANIFEST}")
    return data
