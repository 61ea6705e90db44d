"""Packages for Python bots besides the standard library: numpy.

Under bubblewrap it is the one that Agon itself depends on, of a pinned version (requirements/), for the same
interpreter; in Docker's images it is Debian's. A box under bubblewrap contains it only if the bot's files
mention it: each session copies every mount.
"""

import importlib.util
from importlib.metadata import version
from pathlib import Path

INSIDE = "/packages"  # under bubblewrap
IN_IMAGES = "/usr/lib/python3/dist-packages"
_NAME = "numpy"
# One thread each: those of the library for linear algebra take a bot's processes and memory.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}


def folders() -> tuple[Path, ...]:
    """The folders of the package in the environment of this process; empty if it is not installed."""
    spec = importlib.util.find_spec(_NAME)
    if spec is None or spec.origin is None:
        return ()
    package = Path(spec.origin).parent
    libraries = package.with_name(f"{_NAME}.libs")
    return (package, libraries) if libraries.is_dir() else (package,)


def installed() -> str:
    """The package and its version in the environment of this process; "" if it is not installed."""
    return f"{_NAME} {version(_NAME)}" if folders() else ""


def wanted(files: Path) -> bool:
    """Whether one of these files of Python mentions the package."""
    return any(_NAME.encode() in file.read_bytes() for file in files.rglob("*.py") if file.is_file())
