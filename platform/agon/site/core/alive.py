"""The files by which the health checks of containers see that a process is alive. Standard library only.

Containers may share the folder for temporary files, so the names say which container a file is of.
"""

import os
import tempfile
from pathlib import Path


def alive_file(name: str) -> Path:
    """The file that the process of this name touches every few seconds."""
    container = os.stat("/proc/self/ns/pid").st_ino
    return Path(tempfile.gettempdir(), f"agon-alive-{container}-{name}")
