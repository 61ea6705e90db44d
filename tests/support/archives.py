"""Makes zip and tar archives, valid and malformed, for the tests of uploads."""

import gzip
import io
import struct
import tarfile
import zipfile


def make_zip(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, mode: int = 0o100644) -> bytes:
    """A zip of `files`. Names are written unchanged, even if they are malformed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            member = zipfile.ZipInfo("x")
            member.filename = name
            member.external_attr = mode << 16
            member.create_system = 3
            member.compress_type = method
            archive.writestr(member, data)
    return out.getvalue()


def make_tar(files: dict[str, bytes], mode: int = 0o644, form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of `files`. form: one of the formats of tarfile."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = mode
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def tar_entry(kind: bytes, target: str = "", name: str = "bot.py") -> bytes:
    """A tar with a single entry of a type such as tarfile.SYMTYPE."""
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = target
    return member.tobuf() + b"\0" * 1024


def tar_header(name: bytes = b"bot.py", size: bytes = b"00000000003\0", kind: bytes = b"0") -> bytes:
    """One header block with these raw fields and a valid checksum."""
    block = (
        name.ljust(100, b"\0")
        + b"0000644\0" * 3
        + size.ljust(12, b"\0")
        + b"0" * 11
        + b"\0"
        + b" " * 8
        + kind
    )
    block = block.ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def patched_directory(data: bytes, offset: int, field: str, value: int) -> bytes:
    """A zip in which a field of the first directory entry is changed (`offset` bytes into the entry)."""
    at = data.index(b"PK\x01\x02") + offset
    return data[:at] + struct.pack(field, value) + data[at + struct.calcsize(field) :]
