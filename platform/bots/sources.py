"""What was uploaded, read as checked files."""

from bots.models import Submission
from sandbox import uploads
from sandbox.source import Source


def read(filename: str, data: bytes, language: str | None) -> Source:
    """An uploaded file, or with a `language` a pasted text. Raises BadUpload."""
    if language is None:
        return uploads.read_upload(filename, data)
    return uploads.pasted(data.decode(), language)


def source_of(submission: Submission) -> Source:
    """The source of a submission, out of the storage."""
    with submission.source.open("rb") as file:
        data = file.read()
    return read(submission.filename, data, submission.language if submission.pasted else None)
