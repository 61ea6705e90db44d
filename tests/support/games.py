"""For tests in which games appear, break and are repaired while the process runs."""

import importlib
import sys

from games.core import broken, manifest


def forget_games(slug: str) -> None:
    """Clear the caches of games, so that all are read again, and the imported modules of this game."""
    for cached in (manifest.load, broken._why_broken, broken._working):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith(f"games.{slug}")]:
        del sys.modules[name]
    importlib.invalidate_caches()
