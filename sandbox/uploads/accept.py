"""Checks uploads and makes `Source`s of them: source files, zip, tar, tar.gz, pasted text, paths on disk.

The format of an archive is detected from its content; its name only helps to describe what is wrong.
`sandbox.source` says what is checked of every file; the readers are `sandbox.uploads.unzip` and
`sandbox.uploads.untar`. Nothing here runs, parses or imports what was uploaded.
"""

import codecs
import os
import re
from dataclasses import replace
from pathlib import Path

from sandbox.file_names import BadUpload, is_ignored, safe_path, shown
from sandbox.languages import registry
from sandbox.reason import Reason, Value
from sandbox.source import UPLOAD_BYTES, Collector, Source, SourceFile
from sandbox.uploads.untar import is_tar, read_tar, read_tar_gz
from sandbox.uploads.unzip import is_zip, read_zip

__all__ = ["BadUpload", "Source", "SourceFile", "pasted", "read_path", "read_upload"]

_EXPECTED = Reason("expected_upload")
_TEXTS = (".h", ".hpp", "bot.toml", "go.mod", "cargo.toml")  # besides the languages' own files
_ARCHIVE_NAMES = (".zip", ".tar", ".tar.gz", ".tgz", ".gz")
_OTHER_FORMATS = {
    b"\x7fELF": Reason("is_elf"),
    b"MZ": Reason("is_windows_program"),
    b"\xcf\xfa\xed\xfe": Reason("is_mach_o"),
    b"\xca\xfe\xba\xbe": Reason("is_java_class"),
    b"7z\xbc\xaf\x27\x1c": Reason("is_7_zip"),
    b"Rar!": Reason("is_rar"),
    b"\xfd7zXZ\0": Reason("is_xz"),
    b"BZh": Reason("is_bzip2"),
    b"\x28\xb5\x2f\xfd": Reason("is_zstd"),
    b"PK\x07\x08": Reason("is_split_zip"),
    b"\xff\xfe": Reason("is_utf_16"),
    b"\xfe\xff": Reason("is_utf_16"),
}


def read_upload(filename: str, data: bytes, language: str | None = None) -> Source:
    """Check an uploaded file and unpack it in memory.

    `filename`: as sent by the browser. `language`: a slug, if the author chose one. Raises BadUpload.
    """
    name = _base_name(filename)
    if not data:
        raise BadUpload("upload_empty", name=name, expected=_EXPECTED)
    if len(data) > UPLOAD_BYTES:
        raise BadUpload(
            "upload_too_large",
            name=name,
            size=_size(len(data)),
            most=UPLOAD_BYTES >> 20,
            bytes=UPLOAD_BYTES,
        )
    if language is not None:
        registry.get(language)
    collector = Collector(name)
    if is_zip(data):
        read_zip(data, collector)
    elif data.startswith(b"\x1f\x8b"):
        read_tar_gz(data, collector)
    elif is_tar(data):
        read_tar(data, collector)
    else:
        _read_single(name, data, language, collector)
    return _without_marks(collector.source(language))


def pasted(text: str, language: str, filename: str | None = None) -> Source:
    """A program pasted into a form. The default of `filename` depends on the language. Raises BadUpload."""
    chosen = registry.get(language)
    name = filename or chosen.file_name(text)
    try:
        data = re.sub("\r\n?", "\n", text).encode()  # forms send CR LF
    except UnicodeEncodeError:
        raise BadUpload("half_a_character", name=shown(name)) from None
    return read_upload(name, data, language)


def read_path(path: Path) -> Source:
    """Read a bot from the user's own disk: a source file, an archive or a folder. Raises BadUpload.

    A link is not followed out of its folder: among files from others, it could lead to one of the user's own.
    """
    if path.is_symlink() and not path.resolve().is_relative_to(path.parent.resolve()):
        raise BadUpload("link_out", path=str(path))
    try:
        if path.is_dir():
            return _read_folder(path)
        with open(path, "rb") as file:
            return read_upload(path.name, file.read(UPLOAD_BYTES + 1))
    except OSError as error:
        raise BadUpload("not_readable", path=str(path), why=error.strerror or "") from None


def _size(count: int) -> Value:
    """A size above the limit, never rounded down to the limit itself."""
    if count < UPLOAD_BYTES + (1 << 20):
        return Reason("bytes", count=count)
    return f"{count / (1 << 20):.1f} MiB"


def _base_name(filename: str) -> str:
    """The last part of a file name. Old browsers sent whole paths of the user's disk."""
    name = safe_path(re.split(r"[/\\]", filename)[-1])
    if not name:
        raise BadUpload("no_file_name")
    return name


def _read_single(name: str, data: bytes, language: str | None, collector: Collector) -> None:
    if name.lower().endswith(_ARCHIVE_NAMES):
        raise BadUpload("not_an_archive", name=name, expected=_EXPECTED)
    kind = next((kind for start, kind in _OTHER_FORMATS.items() if data.startswith(start)), None)
    if kind is not None:
        raise BadUpload("other_format", name=name, what=kind, expected=_EXPECTED)
    if b"\0" in data:
        raise BadUpload("not_text", name=name, place=data.index(0), expected=_EXPECTED)
    known = registry.extensions() if language is None else registry.get(language).extensions
    if not name.lower().endswith(known):
        in_language = Reason("no_language")
        if language is not None:
            in_language = Reason("other_than_chosen", language=language)
        raise BadUpload("wrong_extension", name=name, language=in_language, known=", ".join(known))
    path = collector.check(name)
    if path is None:
        raise BadUpload("system_file", name=name, expected=_EXPECTED)
    collector.add(path, data, executable=False)


def _read_folder(folder: Path) -> Source:
    collector = Collector(folder.resolve().name or str(folder))
    for place, folders, names in os.walk(folder, onerror=_raise):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not is_ignored(name))
        for name in folders + sorted(names):
            file = here / name
            path = collector.check(str(file.relative_to(folder)), folder=name in folders)
            if path is not None:
                _read_entry(file, path, name in folders, collector)
    return _without_marks(collector.source())


def _without_marks(source: Source) -> Source:
    """`source` without the byte-order marks of its texts: editors add them, and not all compilers skip them.

    All other files are kept as they are: a mark may be part of a bot's data.
    """
    texts = (*registry.extensions(), *_TEXTS)
    files = tuple(
        file._replace(data=file.data.removeprefix(codecs.BOM_UTF8))
        if file.path.lower().endswith(texts)
        else file
        for file in source.files
    )
    return replace(source, files=files)


def _raise(error: OSError) -> None:
    raise error


def _read_entry(file: Path, path: str, folder: bool, collector: Collector) -> None:
    if file.is_symlink():
        raise collector.not_a_file(path, Reason("is_symlink"))
    if folder:
        return
    if not file.is_file():
        raise collector.not_a_file(path, Reason("is_neither"))
    with open(file, "rb") as opened:
        data = opened.read(collector.room() + 1)
        collector.add(path, data, bool(os.fstat(opened.fileno()).st_mode & 0o111))
