"""Whole sites for tests, with less to do than a real one, which would keep every core busy."""

import os
import sys
from pathlib import Path

_SERVE = """
import os
os.environ["AGON_LADDER_MATCHES"] = "12"
from dataclasses import replace
from games.core import manifest
house = {house}
loaded = [(manifest.load(slug), bots) for slug, bots in house.items()]
games = {{info.slug: replace(info, house=info.house[:bots]) for info, bots in loaded}}
manifest.load, manifest.slugs = games.__getitem__, lambda: tuple(games)
from cli import main
main()
"""


def serving(**house: int) -> list[str]:
    """The command `agon serve`, with that many house bots of these games, the weakest, and no other games.

    Its ladder rests after a dozen matches of each.
    """
    return [sys.executable, "-c", _SERVE.format(house=house), "serve"]


def site_folder(var: Path) -> Path:
    """`var` with the artifacts of this run: nothing is built, and no language is tested, a second time."""
    var.mkdir(parents=True, exist_ok=True)
    if not (var / "artifacts").exists():
        (var / "artifacts").symlink_to(os.environ["AGON_TEST_STORE"])
    return var
