"""The files by which the health checks of containers see that a process is alive. Standard library only."""

import tempfile
from pathlib import Path


def alive_file(name: str) -> Path:
    """The file that the process of this name touches every few seconds."""
    return Path(tempfile.gettempdir(), f"agon-alive-{name}")
