"""The digest of an open file."""

import hashlib
from typing import IO

_PIECE = 1 << 20


def digest_of(file: IO[bytes]) -> str:
    """SHA-256 (hex) of what is left in the file."""
    digest = hashlib.sha256()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()
