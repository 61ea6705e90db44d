"""The files of an untrusted archive: a folder or a zip.

Nothing is unpacked to disk. Files are listed one by one and read in pieces, from anywhere in the archive, so
that processes can share an open one. Refused with a reason, before they cost anything: links and special
files, names that are not plain relative paths, encryption, unusual compression, more files than MOST_FILES, a
file above LARGEST_FILE (whatever size it claims; the manifest and the list of digests have a limit of their
own, which is as large as a site can write them), and more than LARGEST_TOTAL in all. Duplicate names are
refused by agon.contest.archive.ledger.

The directory of a zip is read here, because `zipfile` keeps half a KiB for each file in memory (APPNOTE.TXT
6.3.10 of PKWARE, sections 4.3 and 4.5).
"""

import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from agon.contest.archive.ledger import Entry
from agon.contest.archive.manifest import LARGEST_MANIFEST, MOST_FILES, BadArchive
from games.core.record import LARGEST_RECORD

LARGEST_FILE = LARGEST_RECORD  # of all but the manifest and the list of digests
LARGEST_TOTAL = 1 << 40
_LARGEST_DIRECTORY = 3 << 30
_PIECE = 1 << 20
_DEPTH = 3  # matches/<n>/<file>
_PART = re.compile(r"[\w-][\w.-]{0,253}")
_SHOWN = 100
_LOCAL, _ENTRY = b"PK\x03\x04", b"PK\x01\x02"
_END, _LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_ENDS = 98  # bytes of the three
_UTF8, _ENCRYPTED = 1 << 11, 1
_STORED, _DEFLATED = 0, 8
_IN_EXTRA, _ZIP64 = 0xFFFFFFFF, 1


class Files(Protocol):
    """The files of an open archive."""

    def entries(self) -> Iterator[Entry]:
        """Every file. Raises BadArchive."""
        ...

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        """The contents of one of `entries`. Raises BadArchive."""
        ...


@contextmanager
def open_files(archive: Path) -> Iterator[Files]:
    """Open a folder or a zip. Raises BadArchive for what is neither or is refused; OSError."""
    if archive.is_dir():
        yield _Folder(archive)
        return
    with open(archive, "rb") as file:
        yield _Zip(file)


def read(files: Files, entry: Entry) -> bytes:
    """The contents of a file as a whole. Raises BadArchive."""
    return b"".join(files.pieces(entry))


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self) -> Iterator[Entry]:
        return _checked(self._walk("", 1))

    def _walk(self, prefix: str, depth: int) -> Iterator[Entry]:
        with os.scandir(self._folder / prefix) as listing:
            for entry in listing:
                path = prefix + entry.name
                _check_path(path)
                facts = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(facts.st_mode):
                    yield Entry(path, facts.st_size)
                elif stat.S_ISDIR(facts.st_mode) and depth < _DEPTH:
                    yield from self._walk(f"{path}/", depth + 1)
                else:
                    raise BadArchive(f"{path}: expected a file, got a link, a device or too deep a folder")

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        try:
            handle = os.open(self._folder / entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb", buffering=0) as file:
                yield from _bounded(iter(lambda: file.read(_PIECE), b""), entry.path)
        except OSError as error:
            raise BadArchive(f"{entry.path}: {error.strerror or error}") from None


class _Directory(NamedTuple):
    """Where the directory of a zip is. shift: of everything, where the file has something before the zip."""

    start: int
    size: int
    shift: int


class _Zip:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        self._directory = _directory(file, self._size)

    def entries(self) -> Iterator[Entry]:
        return _checked(self._list())

    def _list(self) -> Iterator[Entry]:
        """The directory's entries, read from its beginning to its end."""
        start, left, shift = self._directory
        self._file.seek(start)
        while left:
            fixed = self._file.read(46)
            if len(fixed) < 46 or not fixed.startswith(_ENTRY):
                raise BadArchive("not a zip file: Bad magic number for central directory")
            flags, method, crc, packed, size, *lengths = struct.unpack("<8xHH4xIIIHHH", fixed[:34])
            attributes, offset = struct.unpack("<II", fixed[38:])
            name, extra, _comment = (self._file.read(length) for length in lengths)
            left -= 46 + sum(lengths)
            if left < 0:
                raise BadArchive("not a zip file: Truncated central directory")
            path = name.decode("utf-8" if flags & _UTF8 else "cp437", errors="replace")
            if path.endswith("/"):
                continue
            _check_path(path)
            if stat.S_IFMT(attributes >> 16) not in (0, stat.S_IFREG):
                raise BadArchive(f"{path}: expected a file, got a link or a device")
            if flags & _ENCRYPTED:
                raise BadArchive(f"{path}: expected an open archive, this file is encrypted")
            if method not in (_STORED, _DEFLATED):
                raise BadArchive(f"{path}: compressed by method {method}, expected deflate")
            size, packed, offset = _wide((size, packed, offset), extra)
            yield Entry(path, size, min(offset + shift, self._size), packed, method, crc)

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        try:
            yield from _bounded(self._unpacked(entry), entry.path)
        except (zlib.error, OSError, _Damaged) as error:
            raise BadArchive(f"{entry.path}: cannot be read: {error}") from None

    def _unpacked(self, entry: Entry) -> Iterator[bytes]:
        """As much as the entry claims there is, and with the sum that it claims."""
        left, crc = entry.size, 0
        for piece in _inflated(self._packed(entry)) if entry.method == _DEFLATED else self._packed(entry):
            crc = zlib.crc32(piece[:left], crc)
            yield piece[:left]
            left -= len(piece)
            if left <= 0:
                break
        if crc != entry.crc:
            raise _Damaged(f"Bad CRC-32 for file {entry.path!r}")
        if left > 0:
            raise _Damaged(f"expected {entry.size} bytes, got {entry.size - left}")

    def _packed(self, entry: Entry) -> Iterator[bytes]:
        head = self._at(entry.offset, 30)
        if not head.startswith(_LOCAL):
            raise _Damaged("Bad magic number for file header")
        name_length, extra_length = struct.unpack("<HH", head[26:])
        name = self._at(entry.offset + 30, name_length)
        encoding = "utf-8" if int.from_bytes(head[6:8], "little") & _UTF8 else "cp437"
        if name.decode(encoding, errors="replace") != entry.path:
            raise _Damaged(f"File name in directory {entry.path!r} and header {name!r} differ.")
        at = entry.offset + 30 + name_length + extra_length
        for start in range(at, at + entry.packed, _PIECE):
            yield self._at(start, min(_PIECE, at + entry.packed - start))

    def _at(self, offset: int, size: int) -> bytes:
        """Bytes of the file. It has no position that processes would share."""
        data = os.pread(self._file.fileno(), size, offset) if offset < self._size else b""
        if len(data) < size:
            raise _Damaged("it ends too early")
        return data


class _Damaged(Exception):
    """A file of a zip is not what its entry in the directory says."""


def _directory(file: IO[bytes], size: int) -> _Directory:
    """Where the directory is, as the last bytes of the file say. There may be no comment after them."""
    file.seek(max(0, size - _ENDS))
    tail = file.read().rjust(_ENDS, b"\0")
    end64, locator, end = tail[:56], tail[56:76], tail[76:]
    if not end.startswith(_END) or not end.endswith(b"\0\0"):
        raise BadArchive("not an archive: expected a folder, a zip without a comment, or a record")
    length, stated = struct.unpack("<II", end[12:20])
    after = size - len(end)
    if locator.startswith(_LOCATOR) and end64.startswith(_END64):
        length, stated = struct.unpack("<QQ", end64[40:56])
        after = size - _ENDS
    if length > _LARGEST_DIRECTORY:
        raise BadArchive(f"expected a directory of at most {_LARGEST_DIRECTORY >> 20} MiB in the zip file")
    if after - length < stated:
        raise BadArchive("not a zip file: Bad offset for central directory")
    return _Directory(after - length, length, after - length - stated)


def _wide(facts: tuple[int, ...], extra: bytes) -> Iterator[int]:
    """These facts of an entry, and where they do not fit there, what its extra field for zip64 says."""
    values = b""
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        if kind == _ZIP64:
            values = extra[4 : 4 + length]
        extra = extra[4 + length :]
    for fact in facts:
        if fact == _IN_EXTRA and len(values) >= 8:
            fact, values = int.from_bytes(values[:8], "little"), values[8:]
        yield fact


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    for piece in pieces:
        while piece and not inflate.eof:
            yield inflate.decompress(piece, _PIECE)
            piece = inflate.unconsumed_tail
    while not inflate.eof and (piece := inflate.decompress(b"", _PIECE)):
        yield piece


def _largest(path: str) -> int:
    return LARGEST_MANIFEST if path in ("manifest.json", "SHA256SUMS") else LARGEST_FILE


def _bounded(pieces: Iterator[bytes], path: str) -> Iterator[bytes]:
    most, total = _largest(path), 0
    for piece in pieces:
        total += len(piece)
        if total > most:
            raise BadArchive(f"{path}: expected at most {most >> 20} MiB")
        yield piece


def _checked(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The listing, checked against the limits as it is read."""
    total = 0
    for count, entry in enumerate(entries, 1):
        path, size = entry.path, entry.size
        if size > _largest(path):
            raise BadArchive(f"{path}: expected at most {_largest(path) >> 20} MiB, got {size >> 20} MiB")
        total += size
        if total > LARGEST_TOTAL:
            raise BadArchive(f"expected at most {LARGEST_TOTAL >> 30} GiB of files")
        if count > MOST_FILES:
            raise BadArchive(f"expected at most {MOST_FILES:,} files")
        yield entry


def _check_path(path: str) -> None:
    parts = path.split("/")
    if len(parts) > _DEPTH or not all(_PART.fullmatch(part) for part in parts):
        raise BadArchive(f"{path[:_SHOWN]!r}: not the name of a file in an archive")
