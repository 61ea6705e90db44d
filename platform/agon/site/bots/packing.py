"""Several files as one, such as people upload and download."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path


def packed(path: Path) -> tuple[str, bytes]:
    """File name and contents: the bot's file, or a zip of its folder."""
    if path.is_file():
        return path.name, path.read_bytes()
    files = (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return f"{path.name}.zip", zipped({str(file.relative_to(path)): file.read_bytes() for file in files})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files by path; equal files give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
