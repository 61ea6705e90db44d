"""Names of files by their contents: every reader sees whether it is the file that was written.

A file `FOLDER/ab/sha256-abcd...-TOKEN` has the SHA-256 abcd... The token keeps files of two owners apart, so
that removing one never removes the other's. Rows name files, so a storage, or anyone on the way to it, can
withhold a file, but cannot pass off another one. Files with older names are not checked.
"""

import hashlib
import re
from secrets import token_hex
from typing import IO

_NAME = re.compile(r"(?:^|/)sha256-([0-9a-f]{64})-")
_PIECE = 1 << 18


class OtherContents(OSError):
    """The storage returned other bytes than were written."""


def sha256_of(file: IO[bytes]) -> str:
    """The digest of the rest of a file, as 64 hexadecimal digits."""
    sha256 = hashlib.sha256()
    while piece := file.read(_PIECE):
        sha256.update(piece)
    return sha256.hexdigest()


def name_by(folder: str, sha256: str, ending: str = "") -> str:
    """A new name for a file with these contents."""
    return f"{folder}/{sha256[:2]}/sha256-{sha256}-{token_hex(4)}{ending}"


def check(name: str, file: IO[bytes]) -> None:
    """Read the whole file, which the storage returned for this name, and rewind it. Raises OtherContents."""
    if expected := _NAME.search(name):
        actual = sha256_of(file)
        file.seek(0)
        if actual != expected[1]:
            raise OtherContents(f"the storage returned other bytes for {name} than were written: {actual}")
