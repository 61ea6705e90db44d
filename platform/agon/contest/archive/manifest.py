"""What manifest.json of an archive says: what was played, where, by which rules, and what became of it.

`manifest_text` writes it, for people with a pager (one line for each field, entrant, act, match and file) and
for programs. `manifest_reader` reads it back from anywhere and trusts nothing.

Without a signature, `agon verify` cannot find what a forger rewrites in every place, with other seeds, for a
game that draws nothing.
"""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from agon import __version__
from agon.contest.attempts import FailedAttempt
from agon.contest.formats import SERIES, Absence, Plan, ScheduledMatch, Value, make_plan
from agon.contest.secret_seeds import Seeding, Seeds
from games.core.manifest import load
from games.core.record import SeatInfo

ARCHIVE_FORMAT = 5
LARGEST_MANIFEST = (1 << 32) - 1  # as large as a site can write it
LARGEST_BARE = 256 << 20  # and for each file LARGEST_OF_FILE: a small archive must not fill the disk
LARGEST_OF_FILE = 1 << 10
LARGEST_KEPT = 32 << 20  # characters of it that a reader keeps in memory
MOST_FILES = 40_000_000  # in such a manifest there is no room for more
MOST_ENTRANTS = 100_000
MOST_ACTS = 100_000
MOST_ENVIRONMENTS = 10_000
MOST_DEPARTURES = 100_000
MOST_DRAWS = 10_000
MOST_FAILED = 20  # attempts at one match
MOST_MEMBERS = 100
MOST_RATING = 1_000_000  # either way
LONGEST_TEXT = 1000
SECRET = ("salt", "draw", "commitment")  # fields only where a site drew the seeds in secret


class BadArchive(Exception):
    """Not an archive, or a refused one. str(e): which file or field, what was expected, what you got."""


class End(StrEnum):
    """How a contest ended."""

    FINISHED = "finished"  # each match was played, or the site says why not
    STOPPED = "stopped"  # before its end, by a person or by a failure of the platform


class Fate(StrEnum):
    """Why a match of the schedule is not in the archive."""

    VOID = "void"
    WITHDRAWN = "withdrawn"
    LOST = "lost"  # it was played, and the site has lost its record
    UNPLAYED = "unplayed"  # the contest was stopped before


class Why(StrEnum):
    """Why matches have a salt and a draw of their own."""

    RERUN = "re-run"
    REOPENED = "reopened"


class Fared(StrEnum):
    """What became of the matches of a salt and a draw of their own."""

    OPEN = "open"  # they do not count yet, and their salt is a secret
    APPLIED = "applied"
    DISCARDED = "discarded"


class Draw(NamedTuple):
    """A salt and draw of their own for matches that were queued when the contest's could be known.

    since: of a reopened tournament, the index of the first match from it; 0 for a re-run. salt: "" while they
    are open.
    """

    why: Why
    state: Fared
    since: int
    commitment: str
    draw: str
    salt: str


@dataclass(frozen=True)
class Header:
    """What was played.

    format: a key of agon.contest.formats.FORMATS, or agon.contest.formats.SERIES. points: a key of
    agon.contest.points.POINTS. seats: of each match. entrants: in entry order, each once. stopped: the
    numbers of those that the site has stopped, and why. seed, salt, draw: see agon.contest.secret_seeds.
    commitment: what a site published before the first match. format_settings: of the format. ratings: of the
    entrants when they were frozen; () if none had one. departures: when entrants were out of a format that
    needs results. draws: salts and draws of their own, for re-runs and reopened tournaments, in order of
    time.
    """

    game: str
    format: str
    rounds: int
    seed: int
    points: str
    seats: int
    entrants: tuple[SeatInfo, ...]
    stopped: tuple[tuple[int, str], ...] = ()
    salt: str = ""
    commitment: str = ""
    draw: str = ""
    format_settings: tuple[tuple[str, Value], ...] = ()
    ratings: tuple[int | None, ...] = ()
    departures: tuple[Absence, ...] = ()
    draws: tuple[Draw, ...] = ()

    @property
    def plan(self) -> Plan | None:
        """What was fixed before the first match; None for a series. Raises BadFormat."""
        if self.format == SERIES:
            return None
        return make_plan(
            self.format,
            len(self.entrants),
            self.seats,
            self.rounds,
            self.seeds.of_seatings(),
            dict(self.format_settings),
            self.points,
            self.ratings,
        )

    @property
    def seeds(self) -> Seeds:
        """What the matches' seeds follow from."""
        return Seeds(self.salt, self.seed, seeding_of(self.format), self.entrants, self.draw)

    def seeds_of(self, number: int) -> Seeds:
        """What the seeds of a match follow from. number: 0, or of one of `draws`, from 1."""
        if not number:
            return self.seeds
        own = self.draws[number - 1]
        return self.seeds.anew(own.salt, own.draw)


class Digest(NamedTuple):
    """SHA-256 (hex) and size (bytes) of a file."""

    sha256: str
    size: int


class Absent(NamedTuple):
    """A match of the schedule that is not in the archive. reason: in words, perhaps "".

    failed: the attempts at it that failed, in order of time.
    """

    scheduled: ScheduledMatch
    state: Fate
    reason: str
    failed: tuple[FailedAttempt, ...] = ()


class ArchivedAct(NamedTuple):
    """An entry of the audit log. at: ISO 8601. actor: a user's name, "" for the site itself."""

    at: str
    actor: str
    verb: str
    subject: str
    reason: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class Origin:
    """Where an archive is from. It is for readers: `agon verify` only checks whether there is a `match`.

    agon, python: versions. version: the game's. settings: the limits of the game. environments: what the
    matches were played in, by the digest that they name: sandbox, Docker images by family of languages, and
    versions. site: address, where its keys are, and the fingerprint of the one that signs this archive.
    chain: day and digest of the site's chain of results. match: which match this is, in a site's archive of
    one match: its id, kind and date, the competition's slug, and the tournament's id and name.
    """

    agon: str = __version__
    python: str = field(default_factory=platform.python_version)
    version: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    environments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    site: Mapping[str, str] = field(default_factory=dict)
    chain: Mapping[str, str] = field(default_factory=dict)
    match: Mapping[str, Any] = field(default_factory=dict)


def origin_of(game: str, **more: Any) -> Origin:
    """The origin of an archive that is written now. more: other fields."""
    info = load(game)
    return Origin(version=info.version, settings={"limits": asdict(info.limits)}, **more)


def results_digest(records: Iterable[tuple[int, str]]) -> str:
    """One digest (hex) of all results. records: (index of the match, SHA-256 of its record.json), in schedule
    order.

    It is the SHA-256 of what `sha256sum matches/*/record.json` prints, in this order. Equal seeds and bots
    give equal records, so two runs of a contest have the same one: on either backend, with any number of
    workers, on a site and on the command line.
    """
    digest = ResultsDigest()
    for index, sha256 in records:
        digest.add(index, sha256)
    return digest.hex


class ResultsDigest:
    """Makes a results digest of records that come one by one."""

    def __init__(self) -> None:
        self._lines = hashlib.sha256()

    def add(self, index: int, sha256: str) -> None:
        self._lines.update(f"{sha256}  matches/{index}/record.json\n".encode())

    @property
    def hex(self) -> str:
        """Of the records so far."""
        return self._lines.hexdigest()


def seeding_of(format: str) -> Seeding:
    """How the seeds of a contest are derived."""
    return Seeding.COUNTED if format == SERIES else Seeding.PLACED
