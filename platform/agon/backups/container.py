"""The tar of a backup: it is written and read in constant memory, and each of its bytes has one right value.

A header depends on the name and size of its member alone: a plain file of mode 0600 that belongs to no one,
in the format of GNU tar, whose headers are as long for a member of 10 GiB as for an empty one. So a header is
checked by making it again, and written when the size is known, in the place that was left for it. After the
content come zeros up to a multiple of 512, after the last member two blocks of zeros, and then nothing.

A reader that meets a damaged header goes on at the next whole one.
"""

import hashlib
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from agon.backups.members import LONGEST_NAME

BLOCK = 512
CHUNK = 1 << 18
LONGEST_IN_A_HEADER = 100  # bytes of a name
END = bytes(2 * BLOCK)
_GZIP = 16 + zlib.MAX_WBITS
_LEVEL = 6  # of gzip


class Damaged(Exception):
    """str(e) says in a few words what is wrong with a member."""


class Member(NamedTuple):
    """A member of the tar. at: where its header begins; content: where its content does, of `size` bytes."""

    name: str
    at: int
    content: int
    size: int

    @property
    def end(self) -> int:
        """Where the next header begins."""
        return self.content + self.size + _padding(self.size)


class Gap(NamedTuple):
    """Bytes without a whole header, up to the next one or to the end of the file."""

    at: int
    end: int
    why: str


class Stored(NamedTuple):
    """What was written of a member: bytes in the tar with their digest, and bytes before compression."""

    size: int
    sha256: str
    content_size: int


class Content:
    """The content of a member that is being written."""

    def __init__(self, file: BinaryIO, packed: bool) -> None:
        self._file = file
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP) if packed else None
        self._sha256 = hashlib.sha256()
        self._size = self._content_size = 0

    def write(self, data: bytes) -> None:
        self._content_size += len(data)
        self._put(data if self._packer is None else self._packer.compress(data))

    def end(self) -> Stored:
        if self._packer is not None:
            self._put(self._packer.flush())
        self._file.write(bytes(_padding(self._size)))
        return Stored(self._size, self._sha256.hexdigest(), self._content_size)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._sha256.update(data)
        self._size += len(data)


@contextmanager
def member(
    file: BinaryIO, name: str, packed: bool, on_stored: Callable[[str, Stored], None]
) -> Iterator[Content]:
    """Write a member at the end of a file that can be read and written anywhere.

    on_stored: called when the block has ended. If the block fails, the file is no longer usable.
    """
    at = file.seek(0, os.SEEK_END)
    file.write(bytes(len(_header(name, 0))))
    content = Content(file, packed)
    yield content
    stored = content.end()
    file.seek(at)
    file.write(_header(name, stored.size))
    on_stored(name, stored)


def finish(file: BinaryIO) -> None:
    """Write the end of the tar."""
    file.seek(0, os.SEEK_END)
    file.write(END)


def walk(file: BinaryIO) -> Iterator[Member | Gap]:
    """The members of a tar in their order, without reading their contents, and what lies between them."""
    length = file.seek(0, os.SEEK_END)
    at = 0
    while at < length:
        try:
            item = _member_at(file, at, length)
        except Damaged as error:
            end = _next_header(file, at + BLOCK, length)
            yield Gap(at, end, str(error))
            at = end
        else:
            if item is None:
                end = _next_header(file, at + BLOCK, length)
                if end < length or length - at != len(END) or _read(file, at, len(END)) != END:
                    yield Gap(at, end, "the end of the tar is damaged, or something follows it")
                    at = end
                    continue
                return
            yield item
            at = item.end
    yield Gap(length, length, "the file is cut off: the end of the tar is missing")


def is_padded(file: BinaryIO, item: Member) -> bool:
    """Whether nothing but zeros lies between the content of a member and the next header."""
    return _read(file, item.content + item.size, _padding(item.size)) == bytes(_padding(item.size))


def stored(file: BinaryIO, item: Member, most: int = CHUNK) -> Iterator[bytes]:
    """The content of a member as it lies in the tar, in parts of at most so many bytes.

    The file may be read elsewhere between two parts. Raises Damaged if it is cut off.
    """
    at, end = item.content, item.content + item.size
    while at < end:
        data = _read(file, at, min(most, end - at))
        if not data:
            raise Damaged("cut off")
        at += len(data)
        yield data


def content(file: BinaryIO, item: Member, packed: bool, expected: Stored) -> Iterator[bytes]:
    """The content of a member, unpacked; never more than was expected of it.

    The last bytes are yielded only after everything is checked, so a caller that reads all of it never gets
    damaged content as if it were whole. Raises Damaged.
    """
    sha256 = hashlib.sha256()
    unpacker = zlib.decompressobj(_GZIP) if packed else None
    size, held = 0, b""
    for data in stored(file, item):
        sha256.update(data)
        for part in [data] if unpacker is None else _unpacked(unpacker, data):
            size += len(part)
            if size > expected.content_size:
                raise Damaged(f"longer than the {expected.content_size} bytes that the manifest says")
            if held:
                yield held
            held = part
    if unpacker is not None and not unpacker.eof:
        raise Damaged("cut off")
    if Stored(item.size, sha256.hexdigest(), size) != expected:
        raise Damaged("not what the manifest says")
    if held:
        yield held


def _unpacked(unpacker: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    while data:
        if unpacker.eof:
            raise Damaged("something follows the compressed data")
        try:
            part = unpacker.decompress(data, CHUNK)
        except zlib.error as error:
            raise Damaged("not what gzip writes") from error
        data = unpacker.unconsumed_tail or unpacker.unused_data
        if part:
            yield part


def _header(name: str, size: int) -> bytes:
    """All that comes before the content. Versions of `tarfile` differ in fields that mean nothing here."""
    raw = name.encode("utf-8", "surrogateescape")
    if len(raw) <= LONGEST_IN_A_HEADER:
        return _block(raw, size, tarfile.REGTYPE)
    text = raw + b"\0"
    before = _block(b"././@LongLink", len(text), tarfile.GNUTYPE_LONGNAME)
    return before + text + bytes(_padding(len(text))) + _block(raw, size, tarfile.REGTYPE)


def _block(name: bytes, size: int, kind: bytes) -> bytes:
    digits = b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")
    before = name[:LONGEST_IN_A_HEADER].ljust(LONGEST_IN_A_HEADER, b"\0") + b"0000600\0" + 2 * b"0000000\0"
    before += digits + b"%011o\0" % 0
    after = (kind + bytes(100) + b"ustar  \0").ljust(BLOCK - len(before) - 8, b"\0")
    return before + b"%06o\0 " % sum(before + b" " * 8 + after) + after


def _member_at(file: BinaryIO, at: int, length: int) -> Member | None:
    """The member whose header begins here; None at a block of zeros. Raises Damaged."""
    block = _read(file, at, BLOCK)
    if block == bytes(BLOCK):
        return None
    content_at = at
    info = _parsed(block)
    name = info.name
    if info.type == tarfile.GNUTYPE_LONGNAME:
        if not 0 < info.size <= LONGEST_NAME + 1:
            raise Damaged("the header has a name that is too long")
        raw = _read(file, at + BLOCK, info.size)
        name = raw.removesuffix(b"\0").decode("utf-8", "surrogateescape")
        content_at += BLOCK + info.size + _padding(info.size)
        info = _parsed(_read(file, content_at, BLOCK))
    content_at += BLOCK
    if content_at + info.size > length:
        raise Damaged(f"{name!r} is cut off")
    if "\0" in name or _read(file, at, content_at - at) != _header(name, info.size):
        raise Damaged("the header is damaged, or not that of a plain file")
    result = Member(name, at, content_at, info.size)
    if result.end > length:
        raise Damaged(f"{name!r} is cut off")
    return result


def _parsed(block: bytes) -> tarfile.TarInfo:
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        raise Damaged("the header is damaged") from error
    if info.size < 0:
        raise Damaged("the header is damaged")
    return info


def _next_header(file: BinaryIO, at: int, length: int) -> int:
    """Where the next whole header begins, from `at` on; the length of the file if there is none."""
    while at < length:
        try:
            if _member_at(file, at, length) is not None:
                return at
        except Damaged:
            pass
        at += BLOCK
    return length


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _padding(size: int) -> int:
    return -size % BLOCK
