"""File names of an upload, and the error that refuses an upload.

A name ends up as a file in a box (Linux), in an archive that people download (any system), and in messages.
So it must be relative, without `..`, backslashes, drive letters, control or invisible characters, and it is
normalized to NFC.
"""

import re
import unicodedata

from sandbox.reason import Reason, Value
from sandbox.reason_texts import english

NAME_BYTES = 255  # of one part of a path, the limit of most file systems
PATH_BYTES = 512
PATH_PARTS = 32

_IGNORED_FOLDERS = {"__MACOSX", ".git", ".hg", ".svn", "__pycache__"}
_IGNORED_FILES = {".DS_Store", "Thumbs.db", "desktop.ini"}
# Control, format (right-to-left override...), lone surrogates, private use, unassigned, line separators.
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class BadUpload(Exception):
    """An upload that is refused. `reason` names the file, what was expected, and what was found."""

    def __init__(self, code: str, /, **values: Value) -> None:
        self.reason = Reason(code, **values)
        super().__init__(english(self.reason))


def safe_path(raw: str) -> str:
    """Check a name; return it in NFC without `.` parts ("" for the top folder itself).

    Raises BadUpload for anything that is not a plain relative path.
    """

    def refuse(code: str, /, **values: Value) -> BadUpload:
        return BadUpload(code, name=shown(raw), **values)

    for char in raw:
        if unicodedata.category(char) in _INVISIBLE:
            raise refuse("name_invisible", code=f"{ord(char):04X}")
    name = unicodedata.normalize("NFC", raw)
    if "\\" in name:
        raise refuse("name_backslash")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise refuse("name_absolute")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise refuse("name_leaves")
    if len(parts) > PATH_PARTS:
        raise refuse("name_too_deep", most=PATH_PARTS, got=len(parts))
    for part in parts:
        if part.startswith("-"):
            raise refuse("name_dash")
        if len(part.encode()) > NAME_BYTES:
            raise refuse("name_too_long", most=NAME_BYTES, got=len(part.encode()))
    path = "/".join(parts)
    if len(path.encode()) > PATH_BYTES:
        raise refuse("path_too_long", most=PATH_BYTES, got=len(path.encode()))
    return path


def case_key(path: str) -> str:
    """A key that is equal for names which a case-insensitive file system does not distinguish."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def is_ignored(path: str) -> bool:
    """Whether a file is left out because systems and tools add it to folders by themselves."""
    *folders, name = path.split("/")
    return (
        any(part in _IGNORED_FOLDERS for part in (*folders, name))
        or name in _IGNORED_FILES
        or name.startswith("._")  # macOS keeps attributes in such files
    )


def shown(name: str) -> str:
    """A name of an upload, made fit for a message: quoted, nothing invisible, not too long."""
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)
    if len(visible) > 100:
        visible = f"{visible[:60]}...{visible[-30:]}"
    return f"'{visible}'"
