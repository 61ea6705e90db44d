"""One match of an archive: do its files have their digests, and do they follow from its record?"""

from collections.abc import Mapping
from typing import NamedTuple

from agon.contest.archive.ledger import Held, Played
from agon.contest.archive.manifest import BadArchive, Header
from agon.contest.archive.reader import Files, read
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
Differences = list[str]
_UNKNOWN = Held()


class Asked(NamedTuple):
    """A match to check, and what is known of the files in its folder, by path."""

    match: Played
    files: Mapping[str, Held]


class MatchFinding(NamedTuple):
    """What the check of one match found. differences: in words. strays: files that are not of this match.

    record: the digest of its record, "" if there is none. result: None if the record could not be replayed.
    """

    scheduled: ScheduledMatch
    differences: tuple[str, ...]
    strays: tuple[str, ...]
    record: str
    result: Result | None


def check_match(files: Files, header: Header, asked: Asked) -> MatchFinding:
    """Check one match of an archive that consists of these files."""
    return _OneMatch(files, header, asked).finding()


class _OneMatch:
    def __init__(self, files: Files, header: Header, asked: Asked) -> None:
        self._files = files
        self._header = header
        self._scheduled, self._seed, _ = asked.match
        self._held = asked.files
        self._folder = f"matches/{self._scheduled.index}"
        self._differences: Differences = []
        self._read: set[str] = set()
        self._result: Result | None = None

    def finding(self) -> MatchFinding:
        path = f"{self._folder}/{RECORD}"
        data = self._contents(RECORD)
        if data is not None:
            try:
                self._replay(data)
            except BadRecord as error:
                self._differences.append(f"{path}: {error}")
            except Exception as error:  # a forged record may make a referee fail as no bot can
                why = describe(error, load(self._header.game).folder)
                self._differences.append(f"{path}: cannot be played again: {why}")
        if self._result is None:  # it could not be replayed: check at least the digests
            for other, held in self._held.items():
                if held.entry:
                    self._contents(other.rpartition("/")[2])
        return MatchFinding(
            self._scheduled,
            tuple(self._differences[:MOST_DIFFERENCES]),
            tuple(path for path in self._held if path not in self._read),
            digest(data).sha256 if data is not None else "",
            self._result,
        )

    def _replay(self, data: bytes) -> None:
        record = from_json(data)
        self._seating(record)
        checked = check(data, record)
        log = checked.log
        self._differences += [f"{self._folder}/{RECORD}: {difference}" for difference in checked.differences]
        self._times(log)
        self._output_files(checked)
        for seat, info in enumerate(log.seats):
            self._contents(f"{seat}-{safe_name(info.name)}.stderr")
        if len(log.seats) == len(self._scheduled.seats):
            self._result = result_of(log, self._scheduled.seats)

    def _seating(self, record: Record) -> None:
        """Whether it is the record of this match: its game, its seed, its bots in their seats."""
        header = self._header
        path = f"{self._folder}/{RECORD}"
        if record.game != header.game:
            self._differences.append(f"{path}: game: expected {header.game}, got {record.game}")
        seats = tuple(header.entrants[number] for number in self._scheduled.seats)
        if record.seed != self._seed:
            self._differences.append(f"{path}: seed: expected {self._seed}, got {record.seed}")
        if record.seats != seats:
            self._differences.append(f"{path}: seats: not the entrants that the manifest seats there")

    def _times(self, log: MatchLog) -> None:
        """Check that there is a time for each answer. The times themselves cannot be verified."""
        if self._held.get(f"{self._folder}/{TIMES}", _UNKNOWN).listed is None:
            return
        data = self._contents(TIMES)
        if data is not None:
            try:
                check_fits(timing.from_json(data), log.record)
            except BadRecord as error:
                self._differences.append(f"{self._folder}/{TIMES}: {error}")

    def _output_files(self, checked: Checked) -> None:
        names = [seat.name for seat in checked.log.seats]
        for name, text in game_files(checked.log.game, names, self._scheduled, checked.files).items():
            data = self._contents(name)
            if data is not None and data != text.encode():
                self._differences.append(f"{self._folder}/{name}: not what the record leads to")

    def _contents(self, name: str) -> bytes | None:
        """The contents of a file of this match; None if it is missing, cannot be read or was read before."""
        path = f"{self._folder}/{name}"
        if path in self._read:
            return None
        self._read.add(path)
        return contents(self._files, self._held, path, self._differences)


def contents(files: Files, held: Mapping[str, Held], path: str, differences: Differences) -> bytes | None:
    """The contents of a file that belongs here; None if it is missing or cannot be read.

    What is wrong with the file is appended to `differences`.
    """
    entry, listed = held.get(path, _UNKNOWN)
    if entry is None:
        if listed is None:
            differences.append(f"{path}: missing, and not in {MANIFEST}")
        return None
    try:
        data = read(files, entry)
    except BadArchive as error:
        differences.append(str(error))
        return None
    if listed is not None and digest(data) != listed:
        differences.append(f"{path}: changed: its size or SHA-256 is not the one in {MANIFEST}")
    return data
