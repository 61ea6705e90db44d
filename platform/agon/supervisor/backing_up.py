"""Makes a backup of this site, which may run and play matches meanwhile.

The database comes first, as it is at one moment, then the files that its rows name at that moment. A file
that a later row names is not needed. One that is removed meanwhile, because nothing needs it any more, is
left out; so is one that is lost, which is reported. The file gets its name when it is whole and on the disk.
"""

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from django.apps import apps as current_apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader

from agon import __version__
from agon.backups import container, manifest, members
from agon.backups.manifest import MISSING, REMOVED, About
from agon.site.archives import keys as archive_keys
from agon.site.core import stored_files
from agon.site.core.db import schema
from agon.site.core.db.snapshots import Snapshot, SnapshotError, snapshot
from agon.site.core.disk_space import is_full
from agon.supervisor.errors import BackupFailed

_UNFINISHED = ".agon-backup-"  # folders with what is not whole yet
LAST = "last_backup.json"  # in AGON_VAR: what `agon upgrade --check` reports


class Made(NamedTuple):
    """The backup that was made. digest: of its manifest, so of all of it. keys: those that are in it."""

    file: str
    size: int
    digest: str
    agon: str
    made: str
    kind: str
    files: int
    keys: tuple[str, ...]
    removed: int
    missing: tuple[str, ...]


def back_up(target: Path, with_keys: bool, on_file: Callable[[int, int], object] = lambda *_: None) -> Made:
    """Make the backup `target`. on_file: gets how many files are in it, of how many. Raises BackupFailed."""
    try:
        _check_site()
        if os.path.lexists(target):
            raise BackupFailed(f"{target} is there already: expected the name of a new file")
        with (
            _folder_beside(target) as folder,
            _whole_file(target, folder) as file,
            tempfile.TemporaryFile() as lines,
        ):
            made = _Backup(file, lines, target, folder, on_file).make(with_keys)
        _remember(made)
        return made
    except (SnapshotError, Error, OSError) as error:
        if is_full(error):
            raise BackupFailed(
                f"There is too little space on the disk for {target}: nothing is left of it."
            ) from error
        reason = error.strerror or error if isinstance(error, OSError) else error
        raise BackupFailed(f"There is no backup {target}: {reason}") from error


def _check_site() -> None:
    if not schema.applied():
        raise BackupFailed("There is no site in this database: it has no tables of Agon.")
    if why := schema.why_too_new():
        raise BackupFailed(why)


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """A folder of mode 0700 on the disk of the target, for what is not whole. It is removed after the block.

    It is locked: one without a lock was left by a backup that was killed, and is removed, too.
    """
    for left in target.parent.glob(f"{_UNFINISHED}*"):
        with suppress(OSError), _locked(left):
            shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=_UNFINISHED) as name, ExitStack() as held:
        with suppress(OSError):  # a file system without locks: then nothing removes it
            held.enter_context(_locked(Path(name)))
        yield Path(name)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Raises OSError if another process has locked it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _whole_file(target: Path, folder: Path) -> Iterator[BinaryIO]:
    """A new file of mode 0600 in the folder. It becomes the target when the block has ended."""
    partial = folder / "backup"
    with open(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(partial, target)  # unlike a rename, it replaces nothing
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.rename(partial, target)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _Backup:
    """A backup that is being made in `file`. lines: an empty file, for the manifest until it is whole.

    folder: has room for a copy of an SQLite database.
    """

    def __init__(
        self,
        file: BinaryIO,
        lines: BinaryIO,
        target: Path,
        folder: Path,
        on_file: Callable[[int, int], object],
    ) -> None:
        self._file, self._lines, self._target, self._folder = file, lines, target, folder
        self._on_file = on_file
        self._apps = _models()
        self._removed = 0
        self._missing: list[str] = []

    def make(self, with_keys: bool) -> Made:
        made = datetime.now(UTC).isoformat(timespec="seconds")
        with tempfile.TemporaryFile() as names:
            with snapshot(self._folder) as state:
                count = self._note_names(state, names)
                applied = tuple(f"{app}.{name}" for app, name in state.rows(_APPLIED))
                about = About(__version__, made, state.kind, state.server, applied, schema.release())
                self._manifest = manifest.Writer(self._lines, about)
                member = members.DATABASES[state.kind]
                with self._member(member) as content:
                    state.copy(content.write)
            kept = self._keep_keys() if with_keys else ()
            names.seek(0)
            for number, line in enumerate(names, 1):
                self._keep_file(json.loads(line))
                self._on_file(number, count)
        digest = self._end()
        size = self._file.seek(0, os.SEEK_END)
        files = count - self._removed - len(self._missing)
        return Made(
            str(self._target),
            size,
            digest,
            __version__,
            made,
            state.kind,
            files,
            kept,
            self._removed,
            tuple(self._missing),
        )

    def _note_names(self, state: Snapshot, names: BinaryIO) -> int:
        count = 0
        for (name,) in state.rows(stored_files.query(self._apps)):
            names.write(json.dumps(name).encode() + b"\n")
            count += 1
        return count

    def _keep_keys(self) -> tuple[str, ...]:
        secret_keys = "\n".join((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))
        texts = {"secret_key": secret_keys, "archive_key": archive_keys.key_text()}
        for name, text in texts.items():
            if text:
                with self._member(members.of_key(name)) as content:
                    content.write(text.encode())
        return tuple(name for name, text in texts.items() if text)

    def _keep_file(self, name: str) -> None:
        try:
            member = members.of_file(name)
        except ValueError:  # no storage takes such a name
            self._leave_out(name)
            return
        with ExitStack() as opened:
            try:
                source = opened.enter_context(default_storage.open(name, "rb"))
                data = source.read(container.CHUNK)  # some storages notice only now that it is not there
            except FileNotFoundError:
                self._leave_out(name)
                return
            with self._member(member) as content:
                while data:
                    content.write(data)
                    data = source.read(container.CHUNK)

    def _leave_out(self, name: str) -> None:
        is_needed = stored_files.is_named(self._apps, name)
        self._manifest.leave_out(name, MISSING if is_needed else REMOVED)
        if is_needed:
            self._missing.append(name)
        else:
            self._removed += 1

    def _end(self) -> str:
        digest = self._manifest.end()
        self._lines.seek(0)
        with container.member(self._file, members.MANIFEST, False, lambda *_: None) as content:
            while data := self._lines.read(container.CHUNK):
                content.write(data)
        container.finish(self._file)
        return digest

    def _member(self, name: str) -> Any:
        return container.member(self._file, name, members.is_packed(name), self._manifest.add)


_APPLIED = "SELECT app, name FROM django_migrations ORDER BY id"


def _models() -> Any:
    """The models as the tables are, which an earlier version may have made."""
    if not schema.pending():
        return current_apps
    loader = MigrationLoader(connection)
    applied = [key for key in loader.applied_migrations if key in loader.graph.nodes]
    return loader.project_state(applied).apps


def _remember(made: Made) -> None:
    """Note in AGON_VAR which backup was made last. One that cannot be noted is a backup all the same."""
    try:
        with tempfile.NamedTemporaryFile("w", dir=settings.VAR, prefix=".backup-", delete=False) as file:
            json.dump({"file": made.file, "made": made.made, "digest": made.digest}, file)
        os.replace(file.name, settings.VAR / LAST)
    except OSError:
        return
