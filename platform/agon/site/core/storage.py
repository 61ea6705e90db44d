"""Storage of uploads, artifacts, and records: a folder, or any django-storages backend."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage

from agon.site.core.s3_address import s3_options

ABANDONED = 24 * 3600  # seconds; older partial files have no writer
PARTIAL = "partial"  # folder of incomplete files


class WholeFiles(FileSystemStorage):
    """Files in a folder, written atomically: each is complete or absent, even if its writer is killed.

    They have the permissions that the settings say, under any umask.
    Django writes under the final name, and on a full disk leaves a partial file there.
    """

    def _save(self, name: str, content: File) -> str:
        partial = Path(self.path(PARTIAL)) / uuid4().hex
        self._make_folder(partial.parent)
        try:
            with open(partial, "xb") as file:
                os.fchmod(file.fileno(), settings.FILE_UPLOAD_PERMISSIONS)
                for chunk in content.chunks():
                    file.write(chunk)
            return self._put(partial, name)
        finally:
            partial.unlink(missing_ok=True)

    def _put(self, partial: Path, name: str) -> str:
        while True:
            target = Path(self.path(name))
            self._make_folder(target.parent)
            try:
                os.link(partial, target)
                return name
            except FileExistsError:
                name = self.get_available_name(name)

    def _make_folder(self, folder: Path) -> None:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        for path in reversed(missing):
            with suppress(FileExistsError):  # another process was first
                path.mkdir(mode=settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS)
                path.chmod(settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS)  # whatever the umask is

    def remove_partial_files(self) -> None:
        """Remove partial files that killed processes left behind."""
        for partial in Path(self.path(PARTIAL)).glob("*"):
            with suppress(OSError):  # another worker was first
                if partial.stat().st_mtime < time.time() - ABANDONED:
                    partial.unlink()


def storage_setting(setting: str, folder: Path, ca: str = "") -> dict[str, Any]:
    """Django's STORAGES entry for `s3://...` or `package.module.Class?option=value&...`; for "", a folder.

    ca: a file of certificates for S3, if the setting names none. Raises ImproperlyConfigured.
    """
    if setting.startswith("s3:"):
        return {"BACKEND": "agon.site.core.s3_storage.S3Files", "OPTIONS": s3_options(setting, ca)}
    if not setting:
        return {"BACKEND": "agon.site.core.storage.WholeFiles", "OPTIONS": {"location": folder}}
    backend, _, options = setting.partition("?")
    return {"BACKEND": backend, "OPTIONS": dict(parse_qsl(options))}
