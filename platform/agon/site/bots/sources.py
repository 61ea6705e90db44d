"""Uploads, read as checked files."""

from agon.site.bots.models import Submission
from agon.site.core import content_names
from sandbox.building.recipes import FORMS, recipe
from sandbox.file_names import BadUpload
from sandbox.languages import registry
from sandbox.source import Source
from sandbox.uploads import accept


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


def main_file(submission: Submission) -> str:
    """The file of an archive that was taken for its main file; "" if the program does not depend on one."""
    if not submission.source or submission.pasted:
        return ""
    try:
        source = source_of(submission)
        main = None if recipe(source).language in FORMS else registry.detect(source)[1]
    except (OSError, ValueError, BadUpload):  # the program is lost
        return ""
    return main if main is not None and len(source.files) > 1 else ""
