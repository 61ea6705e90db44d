"""Names out of an upload, and the refusal that carries them to their author.

A name ends up as a file in a build box (Linux), in an archive that people download (any system) and in
messages. Therefore it must be relative, without `..`, backslashes, drive letters, control or invisible
characters, and it is kept in Unicode NFC.
"""

from __future__ import annotations

import re
import unicodedata

from sandbox.reason import Reason

NAME_BYTES = 255  # of one part of a path, as file systems have it
PATH_BYTES = 512
PATH_PARTS = 32

_IGNORED_FOLDERS = {"__MACOSX", ".git", ".hg", ".svn", "__pycache__"}
_IGNORED_FILES = {".DS_Store", "Thumbs.db", "desktop.ini"}
# Control, formatting (right-to-left override...), lone surrogates, private, unassigned, line ends.
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class BadUpload(Exception):
    """An upload that is refused. `reason` is for its author: which file, what was expected, what came."""

    def __init__(self, text: str, **values: object) -> None:
        self.reason = Reason(text, **values)
        super().__init__(self.reason)


def safe_path(raw: str) -> str:
    """Check a name; return it in NFC without `.` parts ("" for the top folder itself).

    Raises BadUpload for anything that is not a plain relative path.
    """

    def refuse(text: str, **values: object) -> BadUpload:
        return BadUpload(text, name=shown(raw), **values)

    for char in raw:
        if unicodedata.category(char) in _INVISIBLE:
            raise refuse(
                "%(name)s: expected a name of visible characters, it holds U+%(code)s",
                code=f"{ord(char):04X}",
            )
    name = unicodedata.normalize("NFC", raw)
    if "\\" in name:
        raise refuse("%(name)s: expected folders divided by /, it holds a backslash")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise refuse("%(name)s: expected a path inside the upload, it is an absolute path")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise refuse("%(name)s: expected a path inside the upload, it leads out of it with ..")
    if len(parts) > PATH_PARTS:
        raise refuse(
            "%(name)s: expected at most %(most)d folders deep, it has %(came)d",
            most=PATH_PARTS,
            came=len(parts),
        )
    for part in parts:
        if part.startswith("-"):
            raise refuse(
                "%(name)s: expected a name that does not begin with - (programs would take it for an option)"
            )
        if len(part.encode()) > NAME_BYTES:
            raise refuse(
                "%(name)s: expected names of at most %(most)d bytes, one has %(came)s",
                most=NAME_BYTES,
                came=f"{len(part.encode()):,}",
            )
    path = "/".join(parts)
    if len(path.encode()) > PATH_BYTES:
        raise refuse(
            "%(name)s: expected a path of at most %(most)d bytes, it has %(came)s",
            most=PATH_BYTES,
            came=f"{len(path.encode()):,}",
        )
    return path


def regardless_of_case(path: str) -> str:
    """What two names share that a file system without upper and lower case takes for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def is_ignored(path: str) -> bool:
    """Whether a file is left out: what systems and tools add to a folder without being asked."""
    *folders, name = path.split("/")
    return (
        any(part in _IGNORED_FOLDERS for part in (*folders, name))
        or name in _IGNORED_FILES
        or name.startswith("._")  # macOS keeps attributes in such files
    )


def shown(name: str) -> str:
    """A name out of an upload, fit for a message: quoted, nothing invisible, not too long."""
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)
    if len(visible) > 100:
        visible = f"{visible[:60]}...{visible[-30:]}"
    return f"'{visible}'"
