"""Reads an uploaded zip into a `Collector`.

zipfile parses the directory at the end of the archive. Its names, sizes, offsets and counts are untrusted:

- Before the directory is parsed, its entries are counted in the raw bytes, so a huge one is never built in
  memory.
- Before anything is unpacked, the place of every entry is checked: no two may share bytes, none may reach
  into the directory.
- Each file is decompressed in pieces, never beyond what may still be unpacked, and must have the size and
  checksum that were claimed.
"""

import io
import itertools
import stat
import struct
import zipfile
import zlib

from sandbox.file_names import BadUpload, shown
from sandbox.reason import Reason
from sandbox.source import MOST_ENTRIES, Collector

_DIRECTORY_ENTRY = b"PK\x01\x02"
_END = b"PK\x05\x06"  # of the directory, and so of the archive
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # traditional, strong, masked names
_UTF8_NAME = 0x800
_DAMAGE_ERRORS = (  # what zipfile raises for damaged bytes
    *(zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError),
    *(EOFError, OSError, OverflowError, ValueError),
)
_REFUSED_KINDS = {
    stat.S_IFLNK: Reason("is_symlink"),
    stat.S_IFCHR: Reason("is_device"),
    stat.S_IFBLK: Reason("is_device"),
    stat.S_IFIFO: Reason("is_pipe"),
    stat.S_IFSOCK: Reason("is_socket"),
}


def is_zip(data: bytes) -> bool:
    """Whether data begins like a zip: with an entry, or with the end of an empty directory."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read_zip(data: bytes, collector: Collector) -> None:
    """Hand every file of a zip to the collector. Raises BadUpload."""
    if data.count(_DIRECTORY_ENTRY) > MOST_ENTRIES:
        raise collector.too_many()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(member, _check_member(member, collector)) for member in archive.infolist()]
            _check_offsets(data, archive, collector)
            for member, path in members:
                if path is not None and not _is_folder(member):
                    _unpack(archive, member, path, collector)
    except _DAMAGE_ERRORS as error:
        if _END not in data:
            raise collector.incomplete() from None
        raise collector.damaged("zip", str(error)) from None


def _check_member(member: zipfile.ZipInfo, collector: Collector) -> str | None:
    """Check what the directory says about one member; return its path, or None to skip it."""
    name = _name(member)
    path = collector.check(name, _is_folder(member))
    if path is None:
        return None
    where = {"name": shown(path), "upload": collector.filename}
    if member.flag_bits & _ENCRYPTED:
        raise BadUpload("encrypted", **where)
    mode = member.external_attr >> 16
    kind = _REFUSED_KINDS.get(stat.S_IFMT(mode))
    if kind is not None:
        raise collector.not_a_file(path, kind)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadUpload("zip_method", **where, method=member.compress_type)
    if _is_folder(member) and member.file_size:
        raise BadUpload("folder_with_contents", **where)
    if member.file_size > collector.room():
        raise collector.too_big(path)
    return path


def _name(member: zipfile.ZipInfo) -> str:
    """The full name as stored (zipfile truncates it at NUL). macOS writes UTF-8 without setting the flag."""
    name = member.orig_filename
    if not member.flag_bits & _UTF8_NAME:
        try:
            return name.encode("cp437").decode()
        except UnicodeError:
            return name
    return name


def _is_folder(member: zipfile.ZipInfo) -> bool:
    """As `ZipInfo.is_dir`, which fails on the empty name that is left of one beginning with NUL."""
    return member.filename.endswith("/")


def _check_offsets(data: bytes, archive: zipfile.ZipFile, collector: Collector) -> None:
    """Check that no two members overlap, and that all are in front of the directory."""
    places = []
    for member in archive.infolist():
        start = member.header_offset
        if start < 0 or data[start : start + 4] != b"PK\x03\x04" or start + 30 > len(data):
            raise collector.damaged("zip", f"{shown(member.filename)} is not where the directory says")
        name_length, extra_length = struct.unpack_from("<HH", data, start + 26)
        places.append((start, start + 30 + name_length + extra_length + member.compress_size))
    places.sort()
    places.append((archive.start_dir, archive.start_dir))
    for (_, end), (start, _) in itertools.pairwise(places):
        if end > start:
            raise collector.damaged("zip", "entries overlap")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str, collector: Collector) -> None:
    pieces: list[bytes] = []
    size = 0
    with archive.open(member) as stream:
        while piece := stream.read(1 << 16):
            size += len(piece)
            if size > collector.room():
                raise collector.too_big(path)
            pieces.append(piece)
    if size != member.file_size:
        raise collector.damaged(
            "zip", f"{shown(path)} has {size:,} bytes, its header says {member.file_size:,}"
        )
    collector.add(path, b"".join(pieces), bool(member.external_attr >> 16 & 0o111))
