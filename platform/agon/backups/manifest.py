"""The manifest of a backup: JSON lines, of which the last one has the digest of all others.

The first line says what the backup is of. Then there is a line for each member, in their order, and one for
each file that is named by a row and not in the backup. It is read line by line: a site may have any number of
files.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

from agon.backups.container import Damaged, Stored
from agon.backups.members import DATABASES

FORMAT, VERSION = "agon backup", 1
LONGEST_LINE = 1 << 20  # bytes
REMOVED, MISSING = "removed", "missing"  # why a file is left out: it was no longer needed; it is lost


class About(NamedTuple):
    """What a backup is of.

    agon: the version that made it. made: when, ISO 8601. kind, server: of the database, as Django calls it,
    and its version. migrations: those that were applied, `app.name`. of: the version of Agon that migrated
    the database last, "" if unknown.
    """

    agon: str
    made: str
    kind: str
    server: str
    migrations: tuple[str, ...]
    of: str


class Entry(NamedTuple):
    """A member, as the manifest says it is."""

    name: str
    stored: Stored


class LeftOut(NamedTuple):
    """A file of the storage that is not in the backup. why: REMOVED or MISSING."""

    name: str
    why: str


Line = Entry | LeftOut


class Writer:
    """Writes the lines of a manifest to a file that can be read again."""

    def __init__(self, file: BinaryIO, about: About) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()
        facts = {"format": FORMAT, "version": VERSION, **about._asdict(), "migrations": [*about.migrations]}
        self._put(facts)

    def add(self, name: str, stored: Stored) -> None:
        facts = {"member": name, "bytes": stored.size, "sha256": stored.sha256}
        self._put(facts | {"content_bytes": stored.content_size})

    def leave_out(self, name: str, why: str) -> None:
        self._put({"left_out": name, "why": why})

    def end(self) -> str:
        """Write the last line; returns the digest of all others."""
        digest = self._sha256.hexdigest()
        self._file.write(_line({"sha256": digest}))
        return digest

    def _put(self, facts: dict[str, Any]) -> None:
        line = _line(facts)
        self._file.write(line)
        self._sha256.update(line)


def is_whole(lines: Iterable[bytes]) -> str | None:
    """The digest of a manifest that is as it was written; None if it is damaged."""
    sha256, last = hashlib.sha256(), b""
    for line in lines:
        sha256.update(last)
        last = line
    digest = sha256.hexdigest()
    return digest if last == _line({"sha256": digest}) else None


def read_about(line: bytes) -> About:
    """The first line. Raises Damaged if it is none, or of a later format."""
    facts = _facts(line)
    if facts.get("format") != FORMAT:
        raise Damaged("not the manifest of a backup")
    if facts.get("version") != VERSION:
        made_by = facts.get("agon", "a later version")
        raise Damaged(
            f"of format {facts.get('version')}, written by Agon {made_by}; this Agon reads {VERSION}"
        )
    texts = [facts.get(field) for field in ("agon", "made", "kind", "server", "of")]
    migrations = facts.get("migrations")
    if not all(isinstance(text, str) for text in texts) or not isinstance(migrations, list):
        raise Damaged("without the versions of Agon and of the database")
    if facts["kind"] not in DATABASES or not all(isinstance(migration, str) for migration in migrations):
        raise Damaged("of a kind of database that Agon does not use")
    agon, made, kind, server, migrated_by = map(str, texts)
    return About(agon, made, kind, server, tuple(migrations), migrated_by)


def read_lines(lines: Iterable[bytes]) -> Iterator[Line]:
    """The lines between the first and the last one. Raises Damaged."""
    for line in lines:
        facts = _facts(line)
        match facts:
            case {
                "member": str(name),
                "bytes": int(size),
                "sha256": str(digest),
                "content_bytes": int(content),
            }:
                yield Entry(name, Stored(size, digest, content))
            case {"left_out": str(name), "why": str(why)}:
                yield LeftOut(name, why)
            case {"sha256": str()}:
                return
            case _:
                raise Damaged("a line is not of a manifest")


def split_lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text that comes in parts. Raises Damaged if one is too long."""
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line + b"\n" for line in whole)
        if len(rest) > LONGEST_LINE:
            raise Damaged("a line is too long")
    if rest:
        yield rest


def _line(facts: dict[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode() + b"\n"


def _facts(line: bytes) -> dict[str, Any]:
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Damaged("not JSON") from error
    if not isinstance(facts, dict):
        raise Damaged("not a JSON object")
    return facts
