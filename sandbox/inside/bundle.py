"""A folder as one stream of bytes: how a bot's files get into a box and how the result of a build gets out.

The stream begins with a list of (path, executable, size) as JSON, preceded by its length; then come the
contents, one after another. Links, devices, owners and times cannot be expressed, so they need no checks.
Names, numbers and sizes are checked on reading.
"""

from __future__ import annotations

import json
import os
import stat
import struct

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_LENGTH = struct.Struct("<I")
_MOST_NAMES = 1 << 24  # bytes of JSON


class BadBundle(Exception):
    """What was received, or was to be packed, is not acceptable; the message says why."""


def pack(folder: str, out: BinaryIO, most_files: int, most_bytes: int) -> None:
    """Write the regular files and folders below `folder`. Links and the like are left out."""
    if os.path.islink(folder):
        raise BadBundle("a link has replaced the folder")
    names: list[tuple[str, bool, int]] = []
    total = 0
    for path, info in _walk(folder, ""):
        size = -1 if stat.S_ISDIR(info.st_mode) else info.st_size
        names.append((path, bool(info.st_mode & 0o100), size))
        total += max(size, 0)
        if len(names) > most_files:
            raise BadBundle(f"more than {most_files} files")
        if total > most_bytes:
            raise BadBundle(f"more than {most_bytes >> 20} MiB of files")
    text = json.dumps(names).encode()
    out.write(_LENGTH.pack(len(text)) + text)
    for path, _, size in names:
        if size >= 0:
            _copy(os.path.join(folder, path), size, out)


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(os.path.join(folder, prefix)) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        info = entry.stat(follow_symlinks=False)
        path = prefix + entry.name
        if stat.S_ISDIR(info.st_mode):
            yield path, info
            yield from _walk(folder, path + "/")
        elif stat.S_ISREG(info.st_mode):
            yield path, info


def _copy(path: str, size: int, out: BinaryIO) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        while size > 0:
            part = file.read(min(size, 1 << 20))
            if not part:
                raise BadBundle(f"{path} shrank while it was read")
            out.write(part)
            size -= len(part)


def unpack(source: BinaryIO, folder: str, most_files: int, most_bytes: int) -> list[tuple[str, bool, int]]:
    """Write what `source` holds below `folder`; returns (path, executable, size or -1 for folders)."""
    names = _names(source, most_files, most_bytes)
    for path, executable, size in names:
        target = os.path.join(folder, path)
        if size < 0:
            os.mkdir(target, 0o755)
            continue
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(target, flags, 0o755 if executable else 0o644), "wb") as file:
            while size > 0:
                part = source.read(min(size, 1 << 20))
                if not part:
                    raise BadBundle("the files end early")
                file.write(part)
                size -= len(part)
    return names


def _names(source: BinaryIO, most_files: int, most_bytes: int) -> list[tuple[str, bool, int]]:
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise BadBundle("it is empty")
    (length,) = _LENGTH.unpack(head)
    if length > _MOST_NAMES:
        raise BadBundle("the list of names is too long")
    text = source.read(length)
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadBundle("the list of names is not JSON") from error
    if not isinstance(raw, list) or len(raw) > most_files:
        raise BadBundle(f"expected a list of at most {most_files} files")
    names, total = [], 0
    for entry in raw:
        path, executable, size = _entry(entry)
        total += max(size, 0)
        if total > most_bytes:
            raise BadBundle(f"more than {most_bytes >> 20} MiB of files")
        names.append((path, executable, size))
    return names


def _entry(entry: object) -> tuple[str, bool, int]:
    match entry:
        case [str(path), bool(executable), int(size)] if _safe(path) and size >= -1:
            return path, executable, size
    raise BadBundle(f"not a file's name and size: {str(entry)[:200]}")


def _safe(path: str) -> bool:
    parts = path.split("/")
    return (
        0 < len(os.fsencode(path)) <= 1000
        and len(parts) <= 32
        and "\0" not in path
        and not any(part in ("", ".", "..") or len(os.fsencode(part)) > 255 for part in parts)
    )
