"""One state of the database while the site goes on writing: read from it, and copied out of it as a whole.

SQLite: its own backup makes a copy, which is removed in the end. It is one read transaction, for which no
writer waits. PostgreSQL: a transaction exports its snapshot, which pg_dump reads.
"""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from django.db import connection, transaction

SQLITE, POSTGRESQL = "sqlite", "postgresql"
CHUNK = 1 << 20
_RESTORED = ".restored-"
Row = tuple[Any, ...]


class SnapshotError(Exception):
    """str(e): a sentence about why the database cannot be copied, or put back."""


class Snapshot(Protocol):
    """A state of the database."""

    @property
    def kind(self) -> str:
        """The kind of the database, as Django calls it."""

    @property
    def server(self) -> str:
        """Its version."""

    def rows(self, query: str) -> Iterator[Row]:
        """The rows of a query, a few at a time."""

    def copy(self, write: Callable[[bytes], object]) -> None:
        """Write all of it as one file. Raises SnapshotError."""


@contextmanager
def snapshot(folder: Path) -> Iterator[Snapshot]:
    """The state of the database from now on. folder: has room for a copy of an SQLite database.

    Raises SnapshotError, DatabaseError, OSError.
    """
    if connection.vendor == SQLITE:
        with _unnamed_copy(folder) as path:
            yield _Sqlite(path)
    elif connection.vendor == POSTGRESQL:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")  # files are copied meanwhile
            cursor.execute("SELECT pg_export_snapshot()")
            [name] = cursor.fetchone()
            yield _Postgresql(name)
    else:
        raise SnapshotError(f"Backups of {connection.vendor} cannot be made, only of SQLite and PostgreSQL.")


def copy_sqlite(target: Path) -> None:
    """Copy the database to a new file of SQLite. Raises SnapshotError."""
    try:
        with closing(sqlite3.connect(_file())) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # else it would need files beside it
    except sqlite3.Error as error:
        raise SnapshotError(f"The database cannot be copied: {error}.") from error


def restore_sqlite(parts: Iterable[bytes]) -> None:
    """Put a copy in the place of the database, which is empty. Raises SnapshotError, OSError."""
    target = _file()
    connection.close()
    for left in target.parent.glob(f"{_RESTORED}*"):  # by a process that was killed
        left.unlink()
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=_RESTORED, delete=False) as file:
        copy = Path(file.name)  # of mode 0600
        try:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
            _check_sqlite(copy)
            for beside in ("-wal", "-shm", "-journal"):
                target.with_name(target.name + beside).unlink(missing_ok=True)
            os.replace(copy, target)
        finally:
            copy.unlink(missing_ok=True)


def restore_postgresql(parts: Iterable[bytes]) -> None:
    """Fill the database, which is empty, from a dump, in one transaction. Raises SnapshotError."""
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    settings = connection.settings_dict
    command = [_program("pg_restore"), *options, "--dbname", str(settings["NAME"])]
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(command, env=_environment(), stdin=subprocess.PIPE, stderr=said) as restoring:
            assert restoring.stdin is not None
            try:
                for part in parts:
                    restoring.stdin.write(part)
                restoring.stdin.close()
            except BrokenPipeError:
                pass  # it has said why
            except BaseException:
                restoring.kill()  # so the transaction is never committed
                raise
        _raise_if_failed("pg_restore", restoring.returncode, said)


class _Sqlite(NamedTuple):
    path: Path
    kind: str = SQLITE
    server: str = sqlite3.sqlite_version

    def rows(self, query: str) -> Iterator[Row]:
        with closing(sqlite3.connect(self.path)) as database:
            yield from database.execute(query)

    def copy(self, write: Callable[[bytes], object]) -> None:
        with open(self.path, "rb") as file:
            while data := file.read(CHUNK):
                write(data)


class _Postgresql:
    kind = POSTGRESQL

    def __init__(self, name: str) -> None:
        self._name = name
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            [self.server] = cursor.fetchone()

    def rows(self, query: str) -> Iterator[Row]:
        connection.ensure_connection()
        with connection.connection.cursor(name="rows_of_a_backup") as cursor:  # read by and by
            cursor.execute(query)
            yield from cursor

    def copy(self, write: Callable[[bytes], object]) -> None:
        options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={self._name}"]
        command = [_program("pg_dump"), *options, "--dbname", str(connection.settings_dict["NAME"])]
        with tempfile.TemporaryFile() as said:
            with subprocess.Popen(
                command, env=_environment(), stdout=subprocess.PIPE, stderr=said
            ) as dumping:
                assert dumping.stdout is not None
                try:
                    while data := dumping.stdout.read(CHUNK):
                        write(data)
                except BaseException:
                    dumping.kill()
                    raise
            _raise_if_failed("pg_dump", dumping.returncode, said)


@contextmanager
def _unnamed_copy(folder: Path) -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".database-")  # of mode 0600
    os.close(descriptor)
    path = Path(name)
    try:
        copy_sqlite(path)
        yield path
    finally:
        for beside in ("", "-journal"):  # which stays if there was no room to copy all
            path.with_name(path.name + beside).unlink(missing_ok=True)


def _file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _check_sqlite(copy: Path) -> None:
    try:
        with closing(sqlite3.connect(copy)) as database:
            [message] = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        message = str(error)
    if message != "ok":
        raise SnapshotError(f"The database in the backup is damaged: {message}.")


def _program(name: str) -> str:
    """The path of a program of PostgreSQL. Raises SnapshotError if there is none, or one that is too old."""
    wanted = connection.pg_version // 10_000  # type: ignore[attr-defined]
    package = f"(Debian: postgresql-client-{wanted})"
    path = shutil.which(name)
    if path is None:
        raise SnapshotError(
            f"{name} is not installed: PostgreSQL {wanted} needs that of its version {package}."
        )
    output = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    version = next((word.partition(".")[0] for word in output.split() if word[:1].isdigit()), "0")
    if not version.isdecimal() or int(version) < wanted:
        raise SnapshotError(f"{path} is of PostgreSQL {version}: expected {wanted} or later {package}.")
    return path


def _environment() -> dict[str, str]:
    """Where the database is, for programs of PostgreSQL: arguments would show the password to others."""
    settings = connection.settings_dict
    environment = {f"PG{name}": str(settings[name]) for name in ("HOST", "PORT", "USER", "PASSWORD")}
    options = settings.get("OPTIONS", {})
    environment |= {
        f"PG{name.upper()}": str(value) for name, value in options.items() if name.startswith("ssl")
    }
    return os.environ | {name: value for name, value in environment.items() if value}


def _raise_if_failed(program: str, status: int, said: Any) -> None:
    if status == 0:
        return
    said.seek(0)
    lines = said.read().decode(errors="replace").split("\n")
    why = next((line.strip() for line in lines if "error" in line.lower()), f"it ended with {status}")
    raise SnapshotError(f"{program} failed: {why}")
