"""Whether a backup is what was written: every byte is read once, and what differs is named by its member."""

import hashlib
import itertools
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from agon.backups import container, manifest
from agon.backups.container import Damaged, Gap, Member
from agon.backups.manifest import About, Entry, LeftOut
from agon.backups.members import DATABASES, MANIFEST, is_allowed

_LINES = 1 << 14  # bytes of the manifest that are looked at together


class Report(NamedTuple):
    """What was found. findings: what is wrong, a sentence each; none: the backup is sound.

    about, digest: of the manifest; None and "" if that is lost. files, size: number of the members, and bytes
    that they take when they are restored.
    """

    findings: tuple[str, ...]
    about: About | None = None
    digest: str = ""
    members: int = 0
    content_bytes: int = 0
    removed: int = 0
    missing: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.findings


def check(file: BinaryIO, on_progress: Callable[[int], None] = lambda at: None) -> Report:
    """Check a backup. on_progress: gets the number of bytes that were checked.

    Raises OSError if the file cannot be read.
    """
    pieces = [piece for piece in container.walk(file) if isinstance(piece, Gap) or piece.name == MANIFEST]
    gaps = [f"at byte {gap.at}: {gap.why}" for gap in pieces if isinstance(gap, Gap)]
    manifests = [piece for piece in pieces if isinstance(piece, Member)]
    if not manifests:
        return Report((f"{MANIFEST}: missing; this is no backup, or not all of it", *gaps))
    [*_, last] = manifests
    try:
        digest = manifest.is_whole(_manifest_lines(file, last))
        if digest is None:
            return Report((f"{MANIFEST}: damaged; the other members cannot be checked", *gaps))
        about = manifest.read_about(next(_manifest_lines(file, last)))
        return _Check(file, about, digest, on_progress).run(last)
    except Damaged as error:
        return Report((f"{MANIFEST}: {error}", *gaps))


def entries(file: BinaryIO, last: Member) -> Iterator[manifest.Line]:
    """The lines of the manifest in this member. Raises Damaged."""
    return manifest.read_lines(itertools.islice(_manifest_lines(file, last), 1, None))


def _manifest_lines(file: BinaryIO, member: Member) -> Iterator[bytes]:
    return manifest.split_lines(container.stored(file, member, _LINES))


class _Check:
    """Goes through the members and through the lines of the manifest side by side.

    What has no counterpart yet waits in `_unseen` (lines) and `_unknown` (members). Both stay empty as long
    as nothing is wrong.
    """

    def __init__(self, file: BinaryIO, about: About, digest: str, on_progress: Callable[[int], None]) -> None:
        self._file, self._about, self._digest, self._on_progress = file, about, digest, on_progress
        self._findings: list[str] = []
        self._unseen: dict[str, Entry] = {}
        self._unknown: dict[str, Member] = {}
        self._members = self._content_bytes = self._removed = 0
        self._missing: list[str] = []
        self._lines: Iterator[Entry] = iter(())

    def run(self, last: Member) -> Report:
        self._lines = self._counted(entries(self._file, last))
        is_over = False
        for piece in container.walk(self._file):
            if isinstance(piece, Gap):
                self._gap(piece, is_over)
            elif piece == last:
                is_over = True
                if not container.is_padded(self._file, piece):
                    self._findings.append(f"{piece.name}: damaged in the bytes after it")
            else:
                self._member(piece)
            self._on_progress(piece.end)
        for entry in self._lines:
            if earlier := self._unknown.pop(entry.name, None):
                self._compare(earlier, entry)
            else:
                self._unseen[entry.name] = entry
        self._findings += [f"{name}: missing" for name in self._unseen]
        self._findings += [f"{name}: not in the manifest" for name in self._unknown]
        if not self._members:
            self._findings.append(f"{DATABASES[self._about.kind]}: missing")
        return Report(
            tuple(self._findings),
            self._about,
            self._digest,
            self._members,
            self._content_bytes,
            self._removed,
            tuple(self._missing),
        )

    def _counted(self, lines: Iterator[manifest.Line]) -> Iterator[Entry]:
        """The lines about members; the others are counted. The first member has to be the database."""
        for line in lines:
            if isinstance(line, LeftOut):
                if line.why == manifest.MISSING:
                    self._missing.append(line.name)
                else:
                    self._removed += 1
                continue
            is_database = line.name == DATABASES[self._about.kind]
            if not (is_allowed(line.name) if self._members else is_database):
                self._findings.append(f"{line.name!r}: no member of a backup has this name in this place")
            self._members += 1
            self._content_bytes += max(0, line.stored.content_size)
            yield line

    def _gap(self, gap: Gap, is_over: bool) -> None:
        """A damaged header belongs to the member that was to come."""
        expected = None if is_over else next(self._lines, None)
        if expected is None:
            self._findings.append(f"at byte {gap.at}: {gap.why}")
        else:
            self._findings.append(f"{expected.name}: damaged at byte {gap.at}: {gap.why}")

    def _member(self, member: Member) -> None:
        if entry := self._unseen.pop(member.name, None):
            self._compare(member, entry)
            return
        expected = next(self._lines, None)
        if expected is not None and expected.name == member.name:
            self._compare(member, expected)
            return
        if member.name in self._unknown:
            self._findings.append(f"{member.name}: there twice")
        self._unknown[member.name] = member
        if expected is None:
            return
        if earlier := self._unknown.pop(expected.name, None):
            self._compare(earlier, expected)
        else:
            self._unseen[expected.name] = expected

    def _compare(self, member: Member, entry: Entry) -> None:
        sha256 = hashlib.sha256()
        for data in container.stored(self._file, member):
            sha256.update(data)
            self._on_progress(self._file.tell())
        if (member.size, sha256.hexdigest()) != (entry.stored.size, entry.stored.sha256):
            self._findings.append(f"{member.name}: damaged")
        elif not container.is_padded(self._file, member):
            self._findings.append(f"{member.name}: damaged in the bytes after it")
