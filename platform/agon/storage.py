"""Where uploads, artifacts and records are kept: a folder, or any django-storages backend."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl


def storage_setting(setting: str, folder: Path) -> dict[str, Any]:
    """Django's STORAGES entry for `package.module.Class?option=value&...`; for "", files in `folder`."""
    if not setting:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}}
    backend, _, options = setting.partition("?")
    return {"BACKEND": backend, "OPTIONS": dict(parse_qsl(options))}
