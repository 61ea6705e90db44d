"""A bot of a game's folder as one file, such as people upload and download."""

import io
import zipfile
from pathlib import Path


def packed(path: Path) -> tuple[str, bytes]:
    """File name and contents: the bot's file, or a zip of its folder."""
    if path.is_file():
        return path.name, path.read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(path))
    return f"{path.name}.zip", buffer.getvalue()
