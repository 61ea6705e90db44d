"""What project files of an upload ask for that a build here does not do: it has no network."""

import re

from sandbox.building import untrusted_toml
from sandbox.file_names import BadUpload, shown
from sandbox.languages.registry import Language
from sandbox.source import Source

_MOST_BYTES = 64 << 10  # of a file that is parsed
_SHOWN = 5  # names in a message


def check(source: Source, language: Language) -> None:
    """Refuse a project whose dependencies would be missing when it is compiled. Raises BadUpload."""
    if language.slug == "rust" and (names := _crates(source)):
        raise BadUpload("cargo_dependencies", names=_listed(names))


def note(source: Source, language: Language) -> str:
    """What the author should know of files that a build does not read, for its log; "" for nothing."""
    if language.slug not in ("python", "pypy"):
        return ""
    names = _requirements(source)
    if not names:
        return ""
    return f"requirements.txt is not installed, because builds have no network: {_listed(names)}\n"


def _crates(source: Source) -> list[str]:
    file = source.find("Cargo.toml")
    if file is None or len(file.data) > _MOST_BYTES:
        return []
    try:
        dependencies = untrusted_toml.parse(file.data.decode()).get("dependencies", {})
    except (ValueError, RecursionError):
        return []
    return sorted(dependencies) if isinstance(dependencies, dict) else []


def _requirements(source: Source) -> list[str]:
    file = source.find("requirements.txt")
    if file is None or len(file.data) > _MOST_BYTES:
        return []
    names = re.findall(r"(?m)^[ \t]*([A-Za-z0-9][\w.-]*)", file.data.decode("utf-8", "replace"))
    return [name for name in names if name.lower() != "numpy"]


def _listed(names: list[str]) -> str:
    some = ", ".join(shown(name).strip("'") for name in names[:_SHOWN])
    return f"{some}, ..." if len(names) > _SHOWN else some
