"""A competitor's source: the files of an upload, after all checks that protect the host.

All files of an upload, from a zip, a tar, a folder or a text field, pass through one `Collector`, the only
code that makes a `Source`. It checks each name and counts files and bytes before anything is written to disk.
Readers pass it one file at a time and unpack no more than `room()`, so an archive bomb is never unpacked.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from sandbox.file_names import BadUpload, case_key, is_ignored, safe_path, shown
from sandbox.reason import Reason

UPLOAD_BYTES = 10 << 20  # the uploaded file itself
UNPACKED_BYTES = 64 << 20  # all its files together
MOST_FILES = 1_000
MOST_FOLDERS = 1_000
MOST_ENTRIES = 20_000  # of an archive, including those that are left out (.git and the like)


class SourceFile(NamedTuple):
    """A file of an upload. path: its name within the upload, with "/" between folders."""

    path: str
    data: bytes
    executable: bool


@dataclass(frozen=True)
class Source:
    """Checked files of one upload, sorted by path.

    `filename`: the upload's own name, for messages. `language`: the slug of the language that the author
    chose; None: to be detected from the files.
    """

    filename: str
    files: tuple[SourceFile, ...]
    language: str | None = None

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of paths, executable bits and contents, not of the upload's name and format."""
        sha = hashlib.sha256(b"agon source 1\n")
        for file in self.files:
            path = file.path.encode()
            sha.update(b"%d %d %d\n" % (len(path), file.executable, len(file.data)))
            sha.update(path)
            sha.update(file.data)
        return sha.hexdigest()

    def find(self, path: str) -> SourceFile | None:
        """The file of this name, or None."""
        return next((file for file in self.files if file.path == path), None)

    def write(self, folder: Path) -> None:
        """Write the files into `folder`, which must exist and be empty. Raises OSError."""
        for file in self.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "xb") as out:
                out.write(file.data)
            # Zips made on Windows have no executable bits.
            target.chmod(0o755 if file.executable or file.data.startswith(b"#!") else 0o644)


class Collector:
    """Collects the files of one upload one by one; refuses the upload at the first bad one."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self._files: list[SourceFile] = []
        self._bytes = 0
        self._entries = 0
        self._names: dict[str, tuple[str, bool]] = {}  # by case_key: path, whether it is a folder
        self._count = {False: 0, True: 0}  # files, folders

    def room(self) -> int:
        """How many more bytes may be unpacked."""
        return UNPACKED_BYTES - self._bytes

    def check(self, raw: str, folder: bool = False) -> str | None:
        """Check the name of the next file or folder; return its path, or None to skip it."""
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise self.too_many()
        path = safe_path(raw)
        if not path and not folder:
            raise BadUpload("name_empty", upload=self.filename)
        if not path or is_ignored(path):
            return None
        parts = path.split("/")
        for depth in range(1, len(parts)):
            self._claim("/".join(parts[:depth]), folder=True)
        self._claim(path, folder)
        return path

    def add(self, path: str, data: bytes, executable: bool) -> None:
        """Keep a file whose path `check` returned."""
        if len(data) > self.room():
            raise self.too_big(path)
        self._bytes += len(data)
        self._files.append(SourceFile(path, data, executable))

    def not_a_file(self, path: str, kind: Reason) -> BadUpload:
        """The refusal of an entry that is neither a file nor a folder."""
        return BadUpload("not_a_file", name=shown(path), upload=self.filename, what=kind)

    def damaged(self, kind: str, why: str) -> BadUpload:
        """The refusal of an archive that cannot be read to its end."""
        return BadUpload("archive_damaged", upload=self.filename, kind=kind, why=why)

    def incomplete(self) -> BadUpload:
        """The refusal of an archive whose end is missing."""
        return BadUpload("archive_incomplete", upload=self.filename)

    def too_big(self, path: str) -> BadUpload:
        return BadUpload(
            "unpacks_too_large", upload=self.filename, most=UNPACKED_BYTES >> 20, file=shown(path)
        )

    def too_many(self) -> BadUpload:
        return BadUpload("too_many_files", upload=self.filename, most=MOST_FILES)

    def source(self, language: str | None = None) -> Source:
        """The checked source. If one folder contains everything, it is removed from the paths."""
        if not self._files:
            raise BadUpload("no_files", upload=self.filename)
        return Source(self.filename, tuple(sorted(_without_outer_folder(self._files))), language)

    def _claim(self, path: str, folder: bool) -> None:
        key = case_key(path)
        known = self._names.get(key)
        if known is None:
            self._names[key] = (path, folder)
            self._count[folder] += 1
            self._check_counts()
        elif known[0] != path:
            raise BadUpload(
                "names_differ_in_case", one=shown(known[0]), other=shown(path), upload=self.filename
            )
        elif known[1] != folder:
            raise BadUpload("file_and_folder", name=shown(path), upload=self.filename)
        elif not folder:
            raise BadUpload("file_twice", name=shown(path), upload=self.filename)

    def _check_counts(self) -> None:
        if self._count[False] > MOST_FILES:
            raise self.too_many()
        if self._count[True] > MOST_FOLDERS:
            raise BadUpload("too_many_folders", upload=self.filename, most=MOST_FOLDERS)


def _without_outer_folder(files: list[SourceFile]) -> list[SourceFile]:
    outer = {file.path.partition("/")[0] for file in files}
    if len(outer) == 1 and all("/" in file.path for file in files):
        return [file._replace(path=file.path.partition("/")[2]) for file in files]
    return files
