"""Whole sites for tests, with less work than a real site, which would keep every core busy."""

import os
import shutil
import sys
from pathlib import Path

from .databases import migrated

LADDER_MATCHES = 12  # of each bot; then the ladder rests. With fewer, ratings would stay provisional
_SERVE = """
import os
os.environ["AGON_LADDER_MATCHES"] = "{matches}"
from dataclasses import replace
from games.core import manifest
house = {house}
loaded = [(manifest.load(slug), bots) for slug, bots in house.items()]
games = {{info.slug: replace(info, house=info.house[:bots]) for info, bots in loaded}}
manifest.load, manifest.slugs = games.__getitem__, lambda: tuple(games)
from agon.__main__ import main
main()
"""


def serving(**house: int) -> list[str]:
    """The command of a site with only these games, each with its weakest house bots: serving(coup=3).

    The ladder stops after LADDER_MATCHES of each bot.
    """
    return [sys.executable, "-c", _SERVE.format(house=house, matches=LADDER_MATCHES), "serve"]


def site_folder(var: Path) -> Path:
    """Make the folder `var` with the artifacts of this test run, so that nothing is built again."""
    var.mkdir(parents=True, exist_ok=True)
    if not (var / "artifacts").exists():
        (var / "artifacts").symlink_to(os.environ["AGON_TEST_STORE"])
    return var


def migrated_site_folder(var: Path) -> Path:
    """The same with a migrated database, for tests that are not about the first start of a site."""
    site_folder(var)
    shutil.copyfile(migrated(Path(os.environ["AGON_TEST_STORE"]).parent), var / "agon.sqlite3")
    return var
