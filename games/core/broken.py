"""Checks whether a game can be played here: its folder exists, its manifest and referee can be loaded."""

import functools

import games
from games.core import manifest
from games.core.errors import describe, ends_the_process
from games.core.manifest import BadManifest, GameInfo, UnknownGame


def why_broken(slug: str) -> str:
    """One sentence with file and line, or "" if nothing is wrong."""
    return _why_broken(slug) or _why_gone(slug)


def _why_gone(slug: str) -> str:
    """The folder may disappear, and return, after the game was loaded. Its files are read later, too."""
    manifest_file = manifest.load(slug).folder / "game.toml"
    return "" if manifest_file.is_file() else f"the folder of the game {slug} is gone"


@functools.cache
def _why_broken(slug: str) -> str:
    """Like why_broken(), cached for the life of the process."""
    try:
        info = manifest.load(slug)
    except (UnknownGame, BadManifest) as error:
        return str(error)
    except OSError as error:  # str(error) would name folders of this machine
        return f"{slug}/game.toml: {error.strerror}"
    try:
        manifest.referee(info)
        manifest.starters(info)
        manifest.house_bots(info)
    except BaseException as error:  # the game's own code is imported here
        if ends_the_process(error, info.folder):
            raise
        return describe(error, info.folder)
    return ""


def working_games() -> tuple[GameInfo, ...]:
    """Every game that can be played, by slug. Raises BadManifest if the folders of games are bad."""
    return tuple(info for info in _working(tuple(games.__path__)) if not _why_gone(info.slug))


@functools.cache
def _working(folders: tuple[str, ...]) -> tuple[GameInfo, ...]:
    """folders: where games are searched for, only as a key of the cache."""
    return tuple(manifest.load(slug) for slug in manifest.slugs() if not why_broken(slug))
