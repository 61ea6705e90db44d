"""Reads an uploaded tar or tar.gz into a `Collector`.

tarfile of the standard library is not used. In stream mode it mistakes a damaged or truncated header for
the end of the archive, fails with a RecursionError on a chain of extended headers, and before Python 3.11.10
needs 15 s for one pax header of 64 KiB (CVE-2024-6232). It also restores links, devices and sparse files,
none of which an upload needs.

This reads the stream once, forwards only, block by block: a header, its data, the next header. Every length
is compared with what may still be unpacked *before* that many bytes are read, and anything but a plain file
or folder is refused. Gzip is decompressed while the stream is read, never ahead of it.
"""

import gzip
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.file_names import BadUpload, shown
from sandbox.reason import Reason
from sandbox.source import UNPACKED_BYTES, Collector

_BLOCK = 512
_MOST_EXTRA = 64 << 10  # bytes of one extended header: a long name, or pax records
_MOST_STREAM = UNPACKED_BYTES + (16 << 20)  # decompressed bytes, with headers and skipped files
_REFUSED_KINDS = {
    b"1": Reason("is_hard_link"),
    b"2": Reason("is_symlink"),
    b"3": Reason("is_device"),
    b"4": Reason("is_device"),
    b"6": Reason("is_pipe"),
    b"S": Reason("is_sparse"),
}

Read = Callable[[int], bytes]


@dataclass(frozen=True)
class _Header:
    name: bytes
    size: int
    kind: bytes
    executable: bool


def is_tar(data: bytes) -> bool:
    """Whether data begins with a tar header, even one with errors."""
    block = data[:_BLOCK]
    return len(block) == _BLOCK and any(block) and _checksum_matches(block)


def read_tar(data: bytes, collector: Collector) -> None:
    """Hand every file of a tar to the collector. Raises BadUpload."""
    _read(io.BytesIO(data).read, collector)


def read_tar_gz(data: bytes, collector: Collector) -> None:
    """Hand every file of a gzipped tar to the collector. Raises BadUpload."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        try:
            first = stream.read(_BLOCK)
            if not is_tar(first):
                raise BadUpload("gzip_without_tar", upload=collector.filename)
            read = _limited(stream.read, collector)
            _read(_prefixed(first, read), collector)
            while read(1 << 16):  # up to the checksum at the end
                pass
        except EOFError:
            raise collector.incomplete() from None
        except (OSError, zlib.error) as error:
            raise collector.damaged("gzip", str(error)) from None


def _read(read: Read, collector: Collector) -> None:
    """Read headers and data up to the end mark. Extended headers apply to the next file."""
    long_name: bytes | None = None
    long_size: int | None = None
    while True:
        block = read(_BLOCK)
        if not block:
            return  # some programs write no end mark
        try:
            header = _parse_header(block)
        except ValueError as error:
            raise collector.damaged("tar", str(error)) from None
        if header is None:
            return
        if header.kind in b"xgLK":
            extra = _read_extended(read, header, collector)
            if header.kind == b"L":
                long_name = extra.split(b"\0", 1)[0]
            elif header.kind == b"x":
                long_name, long_size = _parse_pax(extra, collector, long_name)
            continue
        name = header.name if long_name is None else long_name
        size = header.size if long_size is None else long_size
        long_name = long_size = None
        _read_member(read, collector, header, name, size)


def _read_member(read: Read, collector: Collector, header: _Header, name: bytes, size: int) -> None:
    try:
        text = name.decode()
    except UnicodeDecodeError:
        raise BadUpload(
            "name_not_utf8", name=shown(name.decode("latin-1")), upload=collector.filename
        ) from None
    folder = header.kind == b"5" or (header.kind in (b"0", b"\0") and text.endswith("/"))
    path = collector.check(text, folder)
    if path is not None and not folder and header.kind not in (b"0", b"\0", b"7"):
        unknown = Reason("is_unknown_entry", kind=repr(header.kind))
        raise collector.not_a_file(path, _REFUSED_KINDS.get(header.kind, unknown))
    if path is not None and size > collector.room():
        raise collector.too_big(path)
    data = _read_data(read, size, collector, keep=path is not None)
    if path is not None and not folder:
        collector.add(path, data, header.executable)


def _parse_header(block: bytes) -> _Header | None:
    """Parse a header block; None for the end mark. Raises ValueError."""
    if len(block) < _BLOCK:
        raise ValueError("it ends within a header")
    if block.count(0) == _BLOCK:
        return None
    if not _checksum_matches(block):
        raise ValueError("the checksum of a header is wrong")
    name = _until_nul(block[:100])
    if block[257:263] == b"ustar\0" and block[345]:
        name = _until_nul(block[345:500]) + b"/" + name
    mode = _parse_number(block[100:108], "mode")
    return _Header(name, _parse_number(block[124:136], "size"), block[156:157], bool(mode & 0o111))


def _checksum_matches(block: bytes) -> bool:
    others = block[:148] + b" " * 8 + block[156:]
    signed = sum(byte - 256 if byte > 127 else byte for byte in others)  # of some old programs
    try:
        return _parse_number(block[148:156], "checksum") in (sum(others), signed)
    except ValueError:
        return False


def _until_nul(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _parse_number(field: bytes, what: str) -> int:
    if field[0] == 0x80:  # base 256, used by GNU tar for large numbers
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    if not digits:
        return 0
    if not all(byte in b"01234567" for byte in digits):
        raise ValueError(f"the {what} in a header is not a number")
    return int(digits, 8)


def _read_extended(read: Read, header: _Header, collector: Collector) -> bytes:
    if header.size > _MOST_EXTRA:
        raise collector.damaged("tar", f"an extended header of {header.size:,} bytes")
    return _read_data(read, header.size, collector, keep=True)


def _parse_pax(extra: bytes, collector: Collector, name: bytes | None) -> tuple[bytes | None, int | None]:
    """Path and size from pax records, `LENGTH KEY=VALUE\\n` each."""
    size: int | None = None
    while extra:
        length, blank, _ = extra.partition(b" ")
        if (
            not blank
            or not length.isdigit()
            or len(length) > 6
            or not len(length) + 3 <= int(length) <= len(extra)
        ):
            raise collector.damaged("tar", "a pax header cannot be read")
        key, _, value = extra[len(length) + 1 : int(length)].removesuffix(b"\n").partition(b"=")
        extra = extra[int(length) :]
        if key == b"path":
            name = value
        elif key == b"size":
            if not value.isdigit() or len(value) > 18:
                raise collector.damaged("tar", "the size in a pax header is not a number")
            size = int(value)
        elif key.startswith(b"GNU.sparse"):
            raise BadUpload("contains_sparse", upload=collector.filename)
    return name, size


def _read_data(read: Read, size: int, collector: Collector, keep: bool) -> bytes:
    """Read `size` bytes and their padding in pieces; return the bytes if `keep`."""
    pieces: list[bytes] = []
    left = size
    while left:
        piece = read(min(left, 1 << 16))
        if not piece:
            raise collector.incomplete()
        left -= len(piece)
        if keep:
            pieces.append(piece)
    padding = -size % _BLOCK
    if len(read(padding)) < padding:
        raise collector.incomplete()
    return b"".join(pieces)


def _prefixed(first: bytes, read: Read) -> Read:
    """A reader of `first`, followed by what `read` returns."""
    begun = io.BytesIO(first)
    return lambda size: begun.read(size) or read(size)


def _limited(read: Read, collector: Collector) -> Read:
    """A reader that refuses a compressed stream when it becomes longer than any upload may be."""
    taken = 0

    def limited(size: int) -> bytes:
        nonlocal taken
        piece = read(size)
        taken += len(piece)
        if taken > _MOST_STREAM:
            raise collector.too_big(collector.filename)
        return piece

    return limited
