"""Built bots: kept in the storage as tars, and unpacked once on each machine that plays them.

The folder AGON_ARTIFACTS is a cache by digest; losing it costs time only. A folder appears under its digest
when it is complete, so that processes which fetch the same artifact at once do not see each other's half.
"""

import os
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.core.files import File

from bots.models import Submission
from sandbox import build
from sandbox.api import Artifact, SandboxError
from sandbox.owners import own_folder, remove_abandoned


def keep(submission: Submission, artifact: Artifact) -> None:
    """Put a built artifact into the storage and name it in `submission`, which the caller saves."""
    submission.artifact_digest = artifact.digest
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(artifact.path, ".", filter=_without_owner)
        packed.seek(0)
        submission.artifact.save("", File(packed), save=False)


def fetch(submission: Submission) -> Artifact:
    """The artifact of a built submission, on this machine. Raises SandboxError where it cannot be had."""
    folder = settings.AGON_ARTIFACTS / submission.artifact_digest
    if not folder.is_dir():
        try:
            _unpack(submission, folder)
        except (OSError, tarfile.TarError) as error:
            raise SandboxError(f"the artifact of {submission} could not be fetched: {error}") from error
    return Artifact.load(folder)


def _unpack(submission: Submission, folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with own_folder(folder.parent) as partial:
        with submission.artifact.open("rb") as packed, tarfile.open(fileobj=packed) as tar:
            tar.extractall(partial, members=(_checked(member) for member in tar))
        try:
            os.rename(partial, folder)
        except OSError:
            if not folder.is_dir():  # else another process was first
                raise


def sweep() -> None:
    """Remove what killed processes of this machine have left half unpacked or half built."""
    remove_abandoned(settings.AGON_ARTIFACTS)
    build.sweep(settings.AGON_ARTIFACTS)


def _checked(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Only what `keep` puts in (tarfile's own filters need Python 3.11.4; Debian 12 has 3.11.2)."""
    path = PurePosixPath(member.name)
    if not (member.isreg() or member.isdir()) or path.is_absolute() or ".." in path.parts:
        raise tarfile.TarError(f"{member.name!r} is no plain file or folder of an artifact")
    return member


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
