"""The versions of libraries that a game was made with. They are in its own version: "1, open_spiel 2.0.2".

Records name the version of their game. So whatever may change a match changes what its record says.
"""

from collections.abc import Iterable
from importlib import metadata

from games.core.toml_fields import BadManifest


def version_with(libraries: Iterable[str]) -> str:
    """The first version of a game that is made with these libraries, as they are installed."""
    return ", ".join(["1", *(f"{name} {metadata.version(name)}" for name in libraries)])


def check(version: str) -> None:
    """Raises BadManifest, with the remedy, unless what is installed is what this version of a game names."""
    for pinned in version.split(", ")[1:]:
        name, _, wanted = pinned.partition(" ")
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "none"
        if installed != wanted:
            raise BadManifest(
                f"this game was made with {name} {wanted}, and installed is {installed}: "
                f"pip install {name}=={wanted}; or follow the guide Write a game to go on with another one"
            )
