"""The files of an untrusted archive: a folder or a zip.

Nothing is unpacked to disk, and files are only read, one at a time, into memory, by names that `paths`
listed. Refused with a reason, before they cost anything: links and special files, names that are not plain
relative paths, duplicate names, encryption, unusual compression, more files than MOST_FILES, a file above
LARGEST_FILE (whatever size it claims) and more than LARGEST_TOTAL in all. The size of a zip's directory is
checked first, because `zipfile` reads all of it into memory.
"""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from agon.contest.archive.manifest import LARGEST_MANIFEST, MOST_FILES, BadArchive
from games.core.record import LARGEST_RECORD

LARGEST_FILE = LARGEST_RECORD  # of all but the manifest and the list of digests
LARGEST_TOTAL = 64 << 30
_LARGEST_DIRECTORY = 64 << 20
_PIECE = 1 << 20
_DEPTH = 3  # matches/<n>/<file>
_PART = re.compile(r"[\w-][\w.-]{0,253}")
_SHOWN = 100
_ENTRY = b"PK\x01\x02"
_END, _LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"


class Files(Protocol):
    """The files of an open archive."""

    @property
    def paths(self) -> Mapping[str, int]:
        """Every file's path and the size (bytes) it claims to have."""
        ...

    def read(self, path: str) -> bytes:
        """The contents of one of `paths`. Raises BadArchive."""
        ...


@contextmanager
def open_files(archive: Path) -> Iterator[Files]:
    """Open a folder or a zip. Raises BadArchive for what is neither or is refused; OSError."""
    if archive.is_dir():
        yield _Folder(archive)
        return
    with open(archive, "rb") as file:
        _check_directory(file)
        try:
            opened = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
            raise BadArchive(f"not a zip file: {error}") from None
        with opened:
            yield _Zip(opened)


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.paths = _counted(self._walk("", 1))

    def _walk(self, prefix: str, depth: int) -> Iterator[tuple[str, int]]:
        with os.scandir(self._folder / prefix) as found:
            for entry in sorted(found, key=lambda each: each.name):
                path = prefix + entry.name
                _check_path(path)
                facts = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(facts.st_mode):
                    yield path, facts.st_size
                elif stat.S_ISDIR(facts.st_mode) and depth < _DEPTH:
                    yield from self._walk(f"{path}/", depth + 1)
                else:
                    raise BadArchive(f"{path}: expected a file, got a link, a device or too deep a folder")

    def read(self, path: str) -> bytes:
        try:
            handle = os.open(self._folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                return _bounded(file, path)
        except OSError as error:
            raise BadArchive(f"{path}: {error.strerror or error}") from None


class _Zip:
    def __init__(self, opened: zipfile.ZipFile) -> None:
        self._zip = opened
        self.paths = _counted(self._list())

    def _list(self) -> Iterator[tuple[str, int]]:
        for info in self._zip.infolist():
            if info.is_dir():
                continue
            _check_path(info.filename)
            if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
                raise BadArchive(f"{info.filename}: expected a file, got a link or a device")
            if info.flag_bits & 1:
                raise BadArchive(f"{info.filename}: expected an open archive, this file is encrypted")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadArchive(
                    f"{info.filename}: compressed by method {info.compress_type}, expected deflate"
                )
            yield info.filename, info.file_size

    def read(self, path: str) -> bytes:
        try:
            with self._zip.open(path) as file:
                return _bounded(file, path)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
            raise BadArchive(f"{path}: cannot be read: {error}") from None


def _largest(path: str) -> int:
    return LARGEST_MANIFEST if path in ("manifest.json", "SHA256SUMS") else LARGEST_FILE


def _bounded(file: IO[bytes], path: str) -> bytes:
    most = _largest(path)
    data = bytearray()
    while piece := file.read(_PIECE):  # at once it would be in memory several times
        data += piece
        if len(data) > most:
            raise BadArchive(f"{path}: expected at most {most >> 20} MiB")
    return bytes(data)


def _counted(listed: Iterator[tuple[str, int]]) -> dict[str, int]:
    """The listing, checked against the limits as it is read."""
    paths: dict[str, int] = {}
    total = 0
    for path, size in listed:
        if path in paths:
            raise BadArchive(f"{path}: is there twice")
        if size > _largest(path):
            raise BadArchive(f"{path}: expected at most {_largest(path) >> 20} MiB, got {size >> 20} MiB")
        paths[path] = size
        total += size
        if total > LARGEST_TOTAL:
            raise BadArchive(f"expected at most {LARGEST_TOTAL >> 30} GiB of files")
        if len(paths) > MOST_FILES:
            raise BadArchive(f"expected at most {MOST_FILES:,} files")
    return paths


def _check_path(path: str) -> None:
    parts = path.split("/")
    if len(parts) > _DEPTH or not all(_PART.fullmatch(part) for part in parts):
        raise BadArchive(f"{path[:_SHOWN]!r}: not the name of a file in an archive")


def _check_directory(file: IO[bytes]) -> None:
    """Check the size of a zip's directory where `zipfile` will look for it: in the last bytes of the file.

    A comment after the end would let the two disagree, so there may be none.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 98))
    tail = file.read().rjust(98, b"\0")
    end64, locator, end = tail[:56], tail[56:76], tail[76:]
    if not end.startswith(_END) or not end.endswith(b"\0\0"):
        raise BadArchive("not an archive: expected a folder, a zip without a comment, or a record")
    directory = int.from_bytes(end[12:16], "little")
    if locator.startswith(_LOCATOR) and end64.startswith(_END64):
        directory = int.from_bytes(end64[40:48], "little")
    if directory > _LARGEST_DIRECTORY:
        raise BadArchive(f"expected a directory of at most {_LARGEST_DIRECTORY >> 20} MiB in the zip file")
    # `zipfile` does not look at the number of files that the end of the directory states, so count them.
    file.seek(max(0, size - directory - 98))
    if file.read().count(_ENTRY) > MOST_FILES:
        raise BadArchive(f"expected at most {MOST_FILES:,} files")
    file.seek(0)
