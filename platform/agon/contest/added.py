"""Finding tournament formats and points rules, each of which is one file, also outside of the project.

The environment variable AGON_FORMATS names one more folder of such files.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType


def with_added(path: Iterable[str]) -> list[str]:
    """The folders of a package, and the one that AGON_FORMATS names."""
    added = os.environ.get("AGON_FORMATS")
    return [*path, *([os.path.abspath(added)] if added else [])]


def modules(package: str, path: Iterable[str]) -> Iterator[ModuleType]:
    """The modules in the folders of a package, by name."""
    for module in sorted(pkgutil.iter_modules(path), key=lambda module: module.name):
        yield importlib.import_module(f"{package}.{module.name}")
