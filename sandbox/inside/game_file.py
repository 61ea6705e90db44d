"""The game's file, which a program that is run for a move reads, and to which it appends its move.

Theory of operation.

Processes:
- One process of our own, with no more rights than the bots: the spawner, or the agent acting as their uid.
- Bots, but only between a write() and the following read(). No process is left when a run is over.

Pipes:
- None. A descriptor of the file stays open here.

Trust:
- A bot can remove the file, put a link or a pipe in its place, or give it another name. So the file is known
  by its descriptor, and what the path leads to is compared with that before every use. No link is followed.
- A file that is still the same and was not written to by us holds what was last read from it. That is the
  usual case, and then only what is new is appended.

Failure:
- If the path no longer leads to the file, a new one is put in place; read() then returns None, or the regular
  file that the bot left there.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from .setup import GAME, GAME_FILE

_MOST_BYTES = 4 << 20


class GameFile:
    def __init__(self) -> None:
        self._fd = -1
        self._identity: tuple[int, ...] = ()
        self._content: bytes | None = None  # None: not known

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def write(self, data: bytes) -> None:
        """Put the file in place with this content, whatever the bot did to the path. Raises OSError."""
        known = self._content
        self._content = None
        if known is None or not data.startswith(known) or self._stat_if_same() is None:
            self._open()
            known = b""
        place = len(known)
        while place < len(data):
            place += os.pwrite(self._fd, data[place:], place)

    def read(self) -> bytes | None:
        """The content; None if the file is gone, no longer a regular file, or absurdly long."""
        status = self._stat_if_same()
        if status is None:
            return _read_another()
        if status.st_size > _MOST_BYTES:
            return None
        self._content = os.pread(self._fd, status.st_size, 0)
        return self._content

    def _stat_if_same(self) -> os.stat_result | None:
        """The state of the file; None if the path does not lead to it anymore."""
        try:
            info = os.stat(GAME_FILE, follow_symlinks=False)
        except OSError:
            return None
        return info if _identity(info) == self._identity else None

    def _open(self) -> None:
        """Put an empty file at the path: the present one if it is an ordinary file, otherwise a new one."""
        self.close()
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            self._fd = os.open(GAME_FILE, flags)
            info = os.fstat(self._fd)
            if not (stat.S_ISREG(info.st_mode) and info.st_nlink == 1):
                raise OSError(errno.EEXIST, "not the file that was put there")
            os.ftruncate(self._fd, 0)
        except OSError:
            self.close()
            _clear_path()
            self._fd = os.open(GAME_FILE, flags | os.O_CREAT | os.O_EXCL, 0o600)
            info = os.fstat(self._fd)
        self._identity = _identity(info)


def _identity(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_mode, info.st_nlink


def _clear_path() -> None:
    if os.path.lexists(GAME):
        if os.path.isdir(GAME) and not os.path.islink(GAME) and not os.path.lexists(GAME_FILE):
            return
        os.rename(GAME, f"/box/.aside-{time.monotonic_ns()}")
    os.mkdir(GAME, 0o700)


def _read_another() -> bytes | None:
    """The content of what replaced the file, if it is a regular file."""
    try:
        fd = os.open(GAME_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MOST_BYTES:
            return None
        return os.pread(fd, info.st_size, 0)
    finally:
        os.close(fd)
