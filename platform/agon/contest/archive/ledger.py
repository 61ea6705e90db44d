"""What an archive holds and what its manifest lists, in a temporary database, so that neither is in memory.

The database is one of SQLite's own temporary files: it is gone when the process ends, in whatever way, and
what of it is in memory is bounded (_CACHE_KIB). On the disk it takes about as much as the zip's directory and
twice the manifest, which both have limits: see agon.contest.archive.reader and agon.contest.archive.manifest.
It is where temporary files are (SQLITE_TMPDIR, TMPDIR, /var/tmp, /tmp).

It is of one process: those that are forked from it do not use it.
"""

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from agon.contest.archive.manifest import Absent, BadArchive, Digest, Fate
from agon.contest.attempts import FailedAttempt, FailureKind
from agon.contest.formats import ScheduledMatch

_CACHE_KIB = 32 << 10
_TABLES = f"""
    PRAGMA cache_size = -{_CACHE_KIB};
    PRAGMA journal_mode = OFF;
    CREATE TABLE present (path TEXT PRIMARY KEY, size, offset, packed, method, crc, is_read) WITHOUT ROWID;
    CREATE TABLE listed (line INTEGER PRIMARY KEY, path TEXT UNIQUE, sha256, size);
    CREATE TABLE played (place INTEGER PRIMARY KEY, number, round, in_round, seats, seed, drawn);
    CREATE TABLE absent (place INTEGER PRIMARY KEY, number, round, in_round, seats, state, reason);
"""
_ENTRY = "path, size, offset, packed, method, crc"
_SCHEDULED = "number, round, in_round, seats"
_IN_FOLDER = "path >= ? || '/' AND path < ? || '0'"  # 0 follows /


class Entry(NamedTuple):
    """A file of an archive, and the size (bytes) it claims to have.

    offset, packed, method, crc: where a zip has it, in how many bytes, and how; not used for a folder.
    """

    path: str
    size: int
    offset: int = 0
    packed: int = 0
    method: int = 0
    crc: int = 0


class Held(NamedTuple):
    """What is known of a path. entry: the file, if it is there. listed: what the manifest states of it, if
    anything.
    """

    entry: Entry | None = None
    listed: Digest | None = None


class Played(NamedTuple):
    """A match of the archive, its seed, and which draw that follows from (Header.draws), from 1, or 0."""

    scheduled: ScheduledMatch
    seed: int
    drawn: int


class Ledger:
    """Raises BadArchive for what is there twice, sqlite3.Error if the disk is full."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("")
        self._db.executescript(_TABLES)
        self.failed_matches = 0  # how many had attempts that failed, and these
        self.failed: Counter[FailureKind] = Counter()

    def close(self) -> None:
        self._db.close()

    def add_present(self, entries: Iterable[Entry]) -> None:
        """The files that are there."""
        self._add("present VALUES (?, ?, ?, ?, ?, ?, 0)", entries, "{}: is there twice")

    def add_listed(self, files: Iterable[tuple[str, Digest]]) -> None:
        """The files that the manifest lists, in its order."""
        rows = ((path, bytes.fromhex(digest.sha256), digest.size) for path, digest in files)
        into = "listed (path, sha256, size) VALUES (?, ?, ?)"
        self._add(into, rows, "manifest.json: files: {:.100}: is there twice")

    def add_played(self, matches: Iterable[tuple[Played, tuple[FailedAttempt, ...]]]) -> None:
        """The matches that the manifest lists, in its order, and the attempts at each that failed."""

        def rows() -> Iterator[tuple[object, ...]]:
            for match, failed in matches:
                self._count(failed)
                yield *_row(match.scheduled), match.seed.to_bytes(32, "big"), match.drawn

        self._add("played (number, round, in_round, seats, seed, drawn) VALUES (?, ?, ?, ?, ?, ?)", rows())

    def add_absent(self, matches: Iterable[Absent]) -> None:
        """The matches of which the manifest says why they are not there, in its order."""

        def rows() -> Iterator[tuple[object, ...]]:
            for match in matches:
                self._count(match.failed)
                yield *_row(match.scheduled), match.state, match.reason

        self._add("absent (number, round, in_round, seats, state, reason) VALUES (?, ?, ?, ?, ?, ?)", rows())

    def mark_read(self, path: str, besides: Iterable[str] = ()) -> None:
        """Note that the files with this path, or in this folder, belong there, all but `besides`."""
        self._db.execute(f"UPDATE present SET is_read = 1 WHERE path = ? OR {_IN_FOLDER}", (path, path, path))
        for stray in besides:
            self._db.execute("UPDATE present SET is_read = 0 WHERE path = ?", (stray,))

    @property
    def files(self) -> int:
        """How many files are there."""
        return self._number("SELECT count(*) FROM present")

    @property
    def matches(self) -> int:
        """How many matches are in the archive."""
        return self._number("SELECT count(*) FROM played")

    @property
    def absences(self) -> int:
        """How many matches are not, as the manifest says."""
        return self._number("SELECT count(*) FROM absent")

    def entry(self, path: str) -> Entry | None:
        """The file with this path, if it is there."""
        return self.file(path).get(path, Held()).entry

    def file(self, path: str) -> dict[str, Held]:
        """What is known of this path, by path."""
        return self._held("path = ?", path)

    def folder(self, path: str) -> dict[str, Held]:
        """What is known of each path in this folder, by path; the files that are there are in order."""
        return self._held(_IN_FOLDER, path, path)

    def listed(self) -> Iterator[tuple[str, str]]:
        """Path and SHA-256 (hex) of the files that the manifest lists, in its order."""
        for path, sha256 in self._db.execute("SELECT path, sha256 FROM listed ORDER BY line"):
            yield path, sha256.hex()

    def missing(self, besides: Sequence[str]) -> Iterator[str]:
        """The files that are listed but are not there, or are among `besides`; in order."""
        there = f"SELECT path FROM present WHERE path NOT IN ({_marks(besides)})"
        return self._paths(f"listed WHERE path NOT IN ({there})", besides)

    def unlisted(self, besides: Sequence[str]) -> Iterator[str]:
        """The files that are there but are not listed, without `besides`; in order."""
        return self._paths(
            f"present WHERE path NOT IN (SELECT path FROM listed) AND path NOT IN ({_marks(besides)})",
            besides,
        )

    def unread(self) -> Iterator[str]:
        """The files that are listed and there, but not marked as read; in order."""
        return self._paths("present WHERE NOT is_read AND path IN (SELECT path FROM listed)")

    def played(self) -> Iterator[Played]:
        """The matches in the archive, in the manifest's order."""
        rows = self._db.execute(f"SELECT {_SCHEDULED}, seed, drawn FROM played ORDER BY place")
        for *scheduled, seed, drawn in rows:
            yield Played(_scheduled(*scheduled), int.from_bytes(seed, "big"), drawn)

    def absent(self) -> Iterator[tuple[ScheduledMatch, Fate]]:
        """The matches that are not in the archive, in the manifest's order, and what became of them."""
        rows = self._db.execute(f"SELECT {_SCHEDULED}, state FROM absent ORDER BY place")
        for *scheduled, state in rows:
            yield _scheduled(*scheduled), Fate(state)

    def lost(self) -> Iterator[tuple[int, str]]:
        """Index and reason of each match whose record is lost."""
        return self._db.execute(
            "SELECT number, reason FROM absent WHERE state = ? ORDER BY place", (Fate.LOST,)
        )

    def reasons(self) -> Iterator[tuple[str, str, int]]:
        """Why matches were not played: state, reason, and how many; the first first."""
        return self._db.execute(
            "SELECT state, reason, count(*) FROM absent WHERE state != ? GROUP BY state, reason"
            " ORDER BY min(place)",
            (Fate.LOST,),
        )

    def _add(self, into: str, rows: Iterable[Sequence[Any]], twice: str = "") -> None:
        """twice: what to say of a path that is there already."""
        path = ""

        def each() -> Iterator[Sequence[Any]]:
            nonlocal path
            for row in rows:
                path = row[0]
                yield row

        try:
            self._db.executemany(f"INSERT INTO {into}", each())
        except sqlite3.IntegrityError:
            raise BadArchive(twice.format(path)) from None

    def _count(self, failed: tuple[FailedAttempt, ...]) -> None:
        self.failed_matches += bool(failed)
        self.failed.update(attempt.kind for attempt in failed)

    def _number(self, query: str) -> int:
        number: int = self._db.execute(query).fetchone()[0]
        return number

    def _held(self, where: str, *values: str) -> dict[str, Held]:
        present = self._db.execute(f"SELECT {_ENTRY} FROM present WHERE {where} ORDER BY path", values)
        held = {row[0]: Held(Entry(*row)) for row in present}
        for path, sha256, size in self._db.execute(
            f"SELECT path, sha256, size FROM listed WHERE {where}", values
        ):
            held[path] = Held(held.get(path, Held()).entry, Digest(sha256.hex(), size))
        return held

    def _paths(self, source: str, values: Sequence[str] = ()) -> Iterator[str]:
        for (path,) in self._db.execute(f"SELECT path FROM {source} ORDER BY path", values):
            yield path


def _row(scheduled: ScheduledMatch) -> tuple[object, ...]:
    return scheduled.index, scheduled.round, scheduled.number, array("I", scheduled.seats).tobytes()


def _scheduled(index: int, round: int, number: int, seats: bytes) -> ScheduledMatch:
    return ScheduledMatch(index, round, number, tuple(array("I", seats)))


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
