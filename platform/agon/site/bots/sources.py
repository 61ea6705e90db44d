"""Uploads, read as checked files."""

from agon.site.bots.models import Submission
from sandbox.source import Source
from sandbox.uploads import accept


def read(filename: str, data: bytes, language: str | None) -> Source:
    """Read an uploaded file or, with a `language`, a pasted text. Raises BadUpload."""
    if language is None:
        return accept.read_upload(filename, data)
    return accept.pasted(data.decode(), language)


def source_of(submission: Submission) -> Source:
    """The source of a submission, from the storage."""
    with submission.source.open("rb") as file:
        data = file.read()
    return read(submission.filename, data, submission.language if submission.pasted else None)
