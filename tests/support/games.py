"""Games that appear, break and are repaired while the tests' process lives."""

import importlib
import sys

from games.core import broken, manifest


def forget_games(slug: str) -> None:
    """Have all games read anew; a changed module of this one, too."""
    for remembered in (manifest.load, broken._why_broken, broken._working):
        remembered.cache_clear()
    for name in [name for name in sys.modules if name.startswith(f"games.{slug}")]:
        del sys.modules[name]
    importlib.invalidate_caches()
