"""Uploads, read as checked files."""

import threading
from typing import NamedTuple

from django.core.cache import cache

from agon.site.bots.models import Submission
from agon.site.core import content_names
from sandbox.building.recipes import FORMS, recipe
from sandbox.file_names import BadUpload
from sandbox.languages import registry
from sandbox.source import Source
from sandbox.uploads import accept

KEPT = 24 * 3600.0  # seconds

_unpacking = threading.Lock()


def read(filename: str, data: bytes, language: str | None) -> Source:
    """Read an uploaded file or, with a `language`, a pasted text. Raises BadUpload."""
    if language is None:
        return accept.read_upload(filename, data)
    return accept.pasted(data.decode(), language)


def data_of(submission: Submission) -> bytes:
    """The upload of a submission as it was, from the storage. Raises OSError."""
    with submission.source.open("rb") as file:
        content_names.check(submission.source.name or "", file)
        return bytes(file.read())


def source_of(submission: Submission) -> Source:
    """The source of a submission, from the storage."""
    data = data_of(submission)
    return read(submission.filename, data, submission.language if submission.pasted else None)


class Contents(NamedTuple):
    """What an upload contains. size: bytes of all files.

    main: the file of an archive that was taken for its main file; "" if the program does not depend on one.
    """

    main: str
    files: int
    size: int


def contents(submission: Submission) -> Contents | None:
    """What the upload of a submission contains; None if it is lost.

    A small archive may unpack to many MiB, and pages ask again and again: so one is unpacked at a time, and
    the answer is kept.
    """
    if not submission.source:
        return None
    key = f"contents-of-{submission.source.name}"
    kept: Contents | None = cache.get(key)
    if kept is not None:
        return kept
    with _unpacking:
        kept = cache.get(key)  # what another thread has found meanwhile
        if kept is None:
            try:
                kept = _contents(source_of(submission), submission.pasted)
            except (OSError, ValueError, BadUpload):
                return None
            cache.set(key, kept, KEPT)
    return kept


def _contents(source: Source, pasted: bool) -> Contents:
    main = None if pasted or recipe(source).language in FORMS else registry.detect(source)[1]
    files = len(source.files)
    return Contents(main if main and files > 1 else "", files, sum(len(file.data) for file in source.files))
