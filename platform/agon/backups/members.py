"""The names that members of a backup have. Others are refused: a name decides where `agon restore` writes."""

from pathlib import PurePosixPath

SQLITE, POSTGRESQL = "sqlite", "postgresql"  # kinds of databases, as Django calls them
DATABASES = {SQLITE: "database.sqlite3.gz", POSTGRESQL: "database.dump"}
KEYS = ("secret_key", "archive_key")
MANIFEST = "manifest.jsonl"
LONGEST_NAME = 1024  # bytes

_FILES, _PACKED, _KEYS = "files/", ".gz", "keys/"


def of_key(key: str) -> str:
    """The member that holds this key, one of KEYS."""
    return _KEYS + key


def of_file(name: str) -> str:
    """The member that holds a file of the storage. Raises ValueError if the name could lead out of it."""
    parts = name.split("/")
    if (
        not name
        or name.startswith("/")
        or {"", ".", ".."} & {*parts}
        or "\\" in name
        or not name.isprintable()
        or len(name.encode(errors="surrogateescape")) > LONGEST_NAME - len(_FILES + _PACKED)
        or PurePosixPath(name).is_absolute()
    ):
        raise ValueError(f"{name!r} is no name of a file in a storage")
    return _FILES + name + _PACKED


def file_of(member: str) -> str | None:
    """The name in the storage of the file that a member holds; None if it holds none, or has a bad name."""
    name = member.removeprefix(_FILES).removesuffix(_PACKED)
    try:
        return name if of_file(name) == member else None
    except ValueError:
        return None


def key_of(member: str) -> str | None:
    """The key that a member holds; None if it holds none."""
    return next((key for key in KEYS if of_key(key) == member), None)


def is_packed(member: str) -> bool:
    """Whether the member is compressed by gzip. A dump of PostgreSQL is compressed already."""
    return member.endswith(_PACKED)


def is_allowed(member: str) -> bool:
    """Whether a backup may have a member of this name, after the database and before the manifest."""
    return key_of(member) is not None or file_of(member) is not None
