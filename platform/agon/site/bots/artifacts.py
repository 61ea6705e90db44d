"""Built bots: stored as tars, and unpacked once per machine that plays them.

What comes from the storage is checked against its name (agon.site.core.content_names), so a tar that was
changed there, or on the way, is never unpacked.

The folder AGON_ARTIFACTS is a cache by digest (sandbox.building.store), kept below AGON_ARTIFACTS_MIB;
losing it costs time only. A process holds what it fetched until it calls `release`, because its warm
boxes show those very folders. In the storage each submission has a tar of its own, kept as long as the
submission may be played.

If an artifact cannot be fetched, either it is lost, for every machine alike, or this machine reaches neither
the storage nor its cache. `fetch` tries others then: if one of them can be fetched, the artifact is lost.
"""

import os
import tarfile
import tempfile
import time
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from agon.site.bots.models import Submission
from agon.site.core import content_names
from agon.site.core.storage import WholeFiles
from sandbox.api import Artifact, SandboxError
from sandbox.building import build, store
from sandbox.leftovers import own_folder, remove_leftover_folders

YOUNG = 600  # seconds for which an artifact stays in the cache before a submission names it
TRIES = 3

OTHERS = 2  # of the latest artifacts, and of the oldest ones, that are tried when one cannot be fetched

_held: dict[Path, int] = {}  # descriptors by folder
_loaded: dict[Path, Artifact] = {}  # of those held


class ArtifactLost(SandboxError):
    """The artifact is not in the storage, or damaged there: no machine can play the submission."""


class CannotFetch(SandboxError):
    """This machine can fetch no artifact at all."""


def keep(submission: Submission, artifact: Artifact) -> None:
    """Put a built artifact into the storage and name it in `submission`, which the caller saves."""
    submission.artifact_digest = artifact.digest
    with tempfile.TemporaryFile() as packed:
        with store.held(artifact.path), tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(artifact.path, ".", filter=_without_owner)
        submission.artifact_bytes = packed.tell()
        packed.seek(0)
        sha256 = content_names.sha256_of(packed)
        packed.seek(0)
        submission.artifact.save(sha256, File(packed), save=False)


def fetch(submission: Submission) -> Artifact:
    """The artifact of a built submission, unpacked on this machine and held until `release`.

    Raises ArtifactLost, CannotFetch; SandboxError if it is removed from the cache again and again.
    """
    folder = settings.AGON_ARTIFACTS / submission.artifact_digest
    try:
        for _ in range(TRIES):
            if _hold(folder):
                if folder not in _loaded:
                    _loaded[folder] = Artifact.load(folder)
                return _loaded[folder]
            _unpack(submission, folder)
    except Exception as error:  # every kind of storage has errors of its own
        why = f"the artifact of {submission} could not be fetched: {error}"
        if not submission.artifact or why_none_can_be_fetched(submission) is None:
            raise ArtifactLost(why) from error
        raise CannotFetch(why) from error
    raise SandboxError(f"the artifact of {submission} was removed again and again while it was fetched")


def why_none_can_be_fetched(but: Submission | None = None) -> str | None:
    """Fetch another artifact into an empty folder, and remove it again; None if that works.

    Some of the latest and of the oldest are tried, in case a part of them is lost. If there are no others,
    nothing speaks against this machine. but: the submission whose artifact is known not to work.
    """
    stored = Submission.objects.exclude(artifact="").exclude(artifact_digest="")
    if but is not None:
        stored = stored.exclude(artifact_digest=but.artifact_digest)
    result: str | None = None
    for other in (*stored.order_by("-pk")[:OTHERS], *stored.order_by("pk")[:OTHERS]):
        try:
            with own_folder(_unfinished()) as partial:
                _extract(other, partial)
        except Exception as error:
            result = f"the artifact of {other} could not be fetched: {error}"
        else:
            return None
    return result


def hold(artifact: Artifact) -> None:
    """Hold an artifact that was just built on this machine until `release`. Raises SandboxError."""
    if not _hold(artifact.path):
        raise SandboxError(f"the artifact {artifact.digest} was removed before it was played")


def release(spare: Collection[str] = ()) -> None:
    """Release all artifacts that this process fetched, except those with the digests `spare`."""
    for folder in [folder for folder in _held if folder.name not in spare]:
        os.close(_held.pop(folder))
        _loaded.pop(folder, None)


def make_room(size: int = 0) -> int:
    """Keep the cache below its limit, even with `size` more bytes. Returns how many were removed."""
    return store.prune(settings.AGON_ARTIFACTS, max(0, (settings.AGON_ARTIFACTS_MIB << 20) - size))


def forget(submission_id: int) -> bool:
    """Remove a submission's artifact from the storage. Returns whether it had one.

    A file that is gone while the row still names it is removed again by agon.site.workers.artifact_removal.
    """
    with transaction.atomic():
        submission = Submission.objects.select_for_update(no_key=True).get(pk=submission_id)
        if not submission.artifact:
            return False
        submission.artifact.delete(save=False)
        Submission.objects.filter(pk=submission_id).update(artifact="", artifact_bytes=0)
    return True


def remove_leftovers() -> None:
    """Remove what killed processes of this machine left unfinished, and what is no longer needed."""
    if isinstance(default_storage, WholeFiles):
        default_storage.remove_partial_files()
    remove_leftover_folders(settings.AGON_ARTIFACTS)
    build.remove_unfinished(settings.AGON_ARTIFACTS)
    _remove_unneeded()
    make_room()


def _remove_unneeded() -> None:
    """Remove from the cache what no submission has in the storage."""
    stored = {artifact.folder.name: artifact for artifact in store.artifacts(settings.AGON_ARTIFACTS)}
    known = Submission.objects.filter(artifact_digest__in=stored)
    needed = set(known.exclude(artifact="").values_list("artifact_digest", flat=True))
    named = set(known.values_list("artifact_digest", flat=True))
    for digest in stored.keys() - needed:
        if digest in named or stored[digest].used < time.time() - YOUNG:
            store.remove(stored[digest].folder)


def _hold(folder: Path) -> bool:
    if folder in _held:
        store.touch(folder)
        return True
    descriptor = store.hold(folder)
    if descriptor is not None:
        _held[folder] = descriptor
    return descriptor is not None


def _unpack(submission: Submission, folder: Path) -> None:
    if not submission.artifact:
        raise OSError("it was removed from the storage")
    with own_folder(_unfinished()) as partial:
        _extract(submission, partial)
        store.touch(partial)
        try:
            os.rename(partial, folder)
        except OSError:
            if not folder.is_dir():  # else another process was first
                raise


def _unfinished() -> Path:
    """The folder of the cache for what is being unpacked."""
    folder: Path = settings.AGON_ARTIFACTS / store.UNFINISHED
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _extract(submission: Submission, folder: Path) -> None:
    make_room(submission.artifact_bytes)
    with submission.artifact.open("rb") as packed:
        content_names.check(submission.artifact.name or "", packed)
        with tarfile.open(fileobj=packed) as tar:
            tar.extractall(folder, members=(_checked(member) for member in tar))


def _checked(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Allow only what `keep` puts in (tarfile's own filters need Python 3.11.4; Debian 12 has 3.11.2)."""
    path = PurePosixPath(member.name)
    if not (member.isreg() or member.isdir()) or path.is_absolute() or ".." in path.parts:
        raise tarfile.TarError(f"{member.name!r} is no plain file or folder of an artifact")
    return member


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
