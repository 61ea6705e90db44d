"""Puts a backup into an empty site: everything, or nothing.

Files come first and the database last, in one transaction or with one rename: as long as that has not
happened, the site is empty, and another attempt can be made. Files that an attempt wrote are removed if it
fails. One that was killed leaves them behind; the next attempt with the same backup takes them for its own.

The backup may come from anyone: names lead nowhere but to the storage, and nothing gets larger than the
manifest says, for which there has to be room.
"""

import hashlib
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import Error, connection

from agon.backups import checking, container, members
from agon.backups.checking import Report
from agon.backups.container import Damaged, Member
from agon.backups.manifest import About, Entry
from agon.backups.members import MANIFEST
from agon.site.core import stored_files
from agon.site.core.db import schema
from agon.site.core.db.snapshots import POSTGRESQL, SnapshotError, restore_postgresql, restore_sqlite
from agon.site.core.disk_space import is_full
from agon.site.core.secret_settings import secret
from agon.site.events import feed
from agon.site.events.models import Counter
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.supervisor.errors import RestoreFailed

_LOCK = 0x41676F6E  # of PostgreSQL, held while a backup is restored
_HANDED_BACK_AT_ONCE = 500
_LARGEST_KEY = 1 << 16  # bytes
_CHANGED = "the backup was changed while it was restored"


class Restored(NamedTuple):
    """notes: what an operator should know, sentences."""

    files: int
    again: int
    keys: tuple[str, ...]
    notes: tuple[str, ...]


def restore_backup(
    file: Path, report: Report, on_member: Callable[[int], object] = lambda n: None
) -> Restored:
    """Restore a backup that was checked. Raises RestoreFailed."""
    assert report.about is not None
    try:
        with open(file, "rb") as opened, _alone():
            restoring = _Restoring(opened, report, on_member)
            restoring.check_target()
            _empty_cache()
            try:
                restoring.restore_files()
                notes = restoring.restore_keys()
                restoring.restore_database()
            except BaseException:
                restoring.undo()
                raise
    except (Damaged, SnapshotError, Error, OSError) as error:
        if is_full(error):
            why = "there is too little space on the disk"
        else:
            why = str(error.strerror or error) if isinstance(error, OSError) else str(error)
        raise RestoreFailed(f"Nothing was restored: {why}") from error
    if Counter._meta.db_table in _tables():  # an early Agon had no events
        feed.skip_numbers()
    pending = schema.pending()
    again = 0 if pending else _play_again()
    if again:
        notes.append(f"{again} matches were being played, and begin again.")
    if pending:
        notes.append(
            f"The backup is of an earlier Agon: the start of the site applies {len(pending)} migrations."
        )
    if report.missing:
        notes.append(
            f"{len(report.missing)} files that rows name are not in the backup: they were lost before."
        )
    return Restored(restoring.files, again, tuple(restoring.keys), tuple(notes))


def _empty_cache() -> None:
    """Forget what a former site with this cache has put there. Raises RestoreFailed."""
    try:
        cache.clear()
    except Exception as error:  # every kind of cache has errors of its own
        raise RestoreFailed(
            f"Nothing was restored: the cache (REDIS_URL) does not answer: {error}"
        ) from error


@contextmanager
def _alone() -> Iterator[None]:
    """While no other process restores into this database. An embedded site has a lock on its folder."""
    if connection.vendor != POSTGRESQL:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        [is_alone] = cursor.fetchone()
    if not is_alone:
        raise RestoreFailed("Another process is restoring a backup into this database.")
    try:
        yield
    finally:
        connection.close()


class _Restoring:
    """One attempt at restoring the backup that `file` is."""

    def __init__(self, file: BinaryIO, report: Report, on_member: Callable[[int], object]) -> None:
        assert report.about is not None
        self._file, self._report, self._on_member = file, report, on_member
        self._about: About = report.about
        self._written: list[str] = []
        self._keys: dict[str, bytes] = {}
        self._database: tuple[Member, Entry] | None = None
        self.keys: list[str] = []
        self.files = 0

    def check_target(self) -> None:
        """Raises RestoreFailed if the site is not empty, or does not fit the backup."""
        if why := schema.too_new(self._about.migrations, self._about.of or self._about.agon, "The backup"):
            raise RestoreFailed(why)
        if self._about.kind != connection.vendor:
            raise RestoreFailed(
                f"The backup is of {self._about.kind}, and this site uses {connection.vendor}:"
                " expected a site of the same kind."
            )
        if tables := _tables():
            raise RestoreFailed(
                f"This site is not empty: its database has {len(tables)} tables. Restore into a new folder"
                " (AGON_VAR) or a new database (DATABASE_URL)."
            )
        self._check_storage()
        self._check_room()

    def _check_storage(self) -> None:
        there = next(stored_files.in_storage(), None)
        if there is None:
            return
        own = {members.file_of(entry.name) for _, entry in self._members()}
        for name in stored_files.in_storage():
            if name not in own:
                raise RestoreFailed(
                    f"This site is not empty: its storage has files that are not in the backup, as {name}."
                )

    def _check_room(self) -> None:
        """Everything that is restored, as large as it may get, has room in the folder of the site."""
        disk = os.statvfs(settings.VAR)
        needed, free = self._report.content_bytes, disk.f_bavail * disk.f_frsize
        if connection.vendor == POSTGRESQL and not isinstance(default_storage, FileSystemStorage):
            return
        if needed > free:
            raise RestoreFailed(
                f"The disk that holds {settings.VAR} has {free >> 20} MiB free, and the backup takes"
                f" {-(-needed >> 20)} MiB."
            )

    def restore_files(self) -> None:
        """Put the files into the storage, and look at the rest."""
        for number, (member, entry) in enumerate(self._members(), 1):
            if (name := members.file_of(entry.name)) is not None:
                self._restore_file(name, member, entry)
            elif (key := members.key_of(entry.name)) is not None:
                if entry.stored.content_size > _LARGEST_KEY:
                    raise Damaged(f"{entry.name} is too large for a key")
                self._keys[key] = b"".join(self._content(member, entry))
            elif self._database is None:
                self._database = member, entry
            else:
                raise Damaged(_CHANGED)
            self._on_member(number)

    def _restore_file(self, name: str, member: Member, entry: Entry) -> None:
        with tempfile.TemporaryFile() as unpacked:
            sha256 = hashlib.sha256()
            for part in self._content(member, entry):
                unpacked.write(part)
                sha256.update(part)
            unpacked.seek(0)
            if default_storage.exists(name):
                if _digest_in_storage(name) != sha256.digest():
                    raise RestoreFailed(f"This site is not empty: its storage has another file {name}.")
            else:
                saved = default_storage.save(name, File(unpacked))
                self._written.append(saved)
                if saved != name:
                    raise RestoreFailed(f"The storage does not take the name {name}, it makes {saved} of it.")
        self.files += 1

    def restore_keys(self) -> list[str]:
        """Put the keys into the folder of an embedded site; returns sentences about those that were not.

        Another key for archives that was there before is kept. One for cookies is of no use to an empty site,
        and was perhaps made just now.
        """
        given = {"secret_key": secret("SECRET_KEY"), "archive_key": secret("ARCHIVE_KEY")}
        notes = []
        for key, text in self._keys.items():
            path = settings.VAR / key
            if given[key] or not settings.EMBEDDED:
                notes.append(f"The key {key} comes from this site's settings, not from the backup.")
            elif key != "secret_key" and path.exists() and path.read_bytes().strip() != text.strip():
                notes.append(f"The key {path} was there before, and is kept.")
            else:
                _write_key(path, text)
                self.keys.append(key)
        if not self._keys and settings.EMBEDDED:
            notes.append(
                "The backup has no keys: everyone has to sign in again, archives get a new key, and nothing "
                "reads the secrets of second factors. Put the former key into the file secret_key, as a "
                "second line, or remove the second factor of those who ask (manage.py remove_second_factor)."
            )
        return notes

    def restore_database(self) -> None:
        """The last step: with it, the site is there."""
        assert self._database is not None
        parts = self._content(*self._database)
        if self._about.kind == POSTGRESQL:
            restore_postgresql(parts)
        else:
            restore_sqlite(parts)

    def undo(self) -> None:
        """Remove what was written, unless the database is there: then only a late Ctrl-C was the failure."""
        if _tables():
            return
        for name in self._written:
            default_storage.delete(name)
        for key in self.keys:
            (settings.VAR / key).unlink()

    def _content(self, member: Member, entry: Entry) -> Iterator[bytes]:
        return container.content(self._file, member, members.is_packed(entry.name), entry.stored)

    def _members(self) -> Iterator[tuple[Member, Entry]]:
        """The members, as they were when the backup was checked. Raises Damaged if they no longer are."""
        [last] = [walked for walked in self._walk() if walked.name == MANIFEST]
        lines = (line for line in checking.entries(self._file, last) if isinstance(line, Entry))
        contents = (walked for walked in self._walk() if walked.name != MANIFEST)
        for member, entry in itertools.zip_longest(contents, lines):
            if member is None or entry is None or member.name != entry.name:
                raise Damaged(_CHANGED)
            yield member, entry

    def _walk(self) -> Iterator[Member]:
        return (member for member in container.walk(self._file) if isinstance(member, Member))


def _tables() -> list[str]:
    with connection.cursor() as cursor:
        return connection.introspection.table_names(cursor)


def _digest_in_storage(name: str) -> bytes:
    with default_storage.open(name, "rb") as stored:
        return hashlib.file_digest(stored, "sha256").digest()


def _write_key(path: Path, text: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".key-", delete=False) as file:  # of mode 0600
        file.write(text)
    os.replace(file.name, path)


def _play_again() -> int:
    """Hand back what was being played: its workers are of the former site. The attempts do not count."""
    running = list(Match.objects.filter(state=State.RUNNING).values_list("pk", flat=True))
    for begin in range(0, len(running), _HANDED_BACK_AT_ONCE):
        leases.hand_back(list(Match.objects.filter(pk__in=running[begin : begin + _HANDED_BACK_AT_ONCE])))
    return len(running)
