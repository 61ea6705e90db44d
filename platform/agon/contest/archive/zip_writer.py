"""A zip, written file by file, of which only the file at hand is in memory; equal files make equal bytes.

The standard library's writer keeps an object for every file until the directory is written at the end, which
for the archive of 100,000 matches is some 300 MB. Here the directory waits on the disk. Names are UTF-8,
dates the earliest there is, and from 65,535 files or 4 GiB on the directory is that of zip64 (APPNOTE.TXT
6.3.10 of PKWARE, sections 4.3 and 4.5).
"""

import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterable
from typing import IO

_IN_MEMORY = 1 << 20
_DATE = 1 << 5 | 1  # 1 January 1980
_UTF8 = 1 << 11
_DEFLATE = 8
_UNIX = 3 << 8
_MODE = 0o100644 << 16
_MOST_FILES, _MOST_OFFSET = 0xFFFF, 0xFFFFFFFF  # which mean: see the zip64 record
_PLAIN, _ZIP64 = 20, 45  # versions needed to read it


class ZipWriter:
    """Writes to `file` from where it is; `close` writes the directory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._directory: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        self._files = 0
        self._offset = 0

    def add(self, path: str, pieces: Iterable[bytes]) -> None:
        """Write a file of less than 4 GiB."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as packed:
            crc, size = _deflate(pieces, packed)
            packed_size = packed.tell()
            packed.seek(0)
            name = path.encode()
            facts = struct.pack("<HHHHIIIH", _UTF8, _DEFLATE, 0, _DATE, crc, packed_size, size, len(name))
            self._file.write(b"PK\x03\x04" + struct.pack("<H", _PLAIN) + facts + bytes(2) + name)
            shutil.copyfileobj(packed, self._file)
        self._enter(facts, name)
        self._files += 1
        self._offset += 30 + len(name) + packed_size

    def close(self) -> None:
        size = self._directory.tell()
        self._directory.seek(0)
        shutil.copyfileobj(self._directory, self._file)
        self._directory.close()
        if self._files >= _MOST_FILES or self._offset >= _MOST_OFFSET:
            self._file.write(self._zip64_end(size))
        files, offset = min(self._files, _MOST_FILES), min(self._offset, _MOST_OFFSET)
        self._file.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, files, files, size, offset, 0))

    def _enter(self, facts: bytes, name: bytes) -> None:
        """The file's entry in the directory."""
        extra, version = b"", _PLAIN
        if self._offset >= _MOST_OFFSET:
            extra, version = struct.pack("<HHQ", 1, 8, self._offset), _ZIP64
        place = struct.pack("<HHHHII", len(extra), 0, 0, 0, _MODE, min(self._offset, _MOST_OFFSET))
        versions = struct.pack("<HH", _UNIX | version, version)
        self._directory.write(b"PK\x01\x02" + versions + facts + place + name + extra)

    def _zip64_end(self, size: int) -> bytes:
        facts = _UNIX | _ZIP64, _ZIP64, 0, 0, self._files, self._files, size, self._offset
        record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, *facts)
        return record + b"PK\x06\x07" + struct.pack("<IQI", 0, self._offset + size, 1)


def _deflate(pieces: Iterable[bytes], packed: IO[bytes]) -> tuple[int, int]:
    """Write the pieces compressed; their CRC and size."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    crc = size = 0
    for piece in pieces:
        crc = zlib.crc32(piece, crc)
        size += len(piece)
        packed.write(deflate.compress(piece))
    packed.write(deflate.flush())
    return crc, size
