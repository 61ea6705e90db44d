"""A starter with all that is needed to work on it at home, as a zip: rules, a README, and AGENTS.md.

The same competition and starter give the same bytes. Texts are in English, and so are the comments in
the starter.
"""

import shlex
from itertools import cycle, islice

from django.conf import settings
from django.http import Http404
from django.template.loader import render_to_string

from agon.site.bots.packing import zipped
from agon.site.competitions.models import Competition
from games.core.manifest import GameInfo, OwnBot, house_bots, starters
from games.core.placeholders import fill

RULES = "rules.en.md"


def starter_of(info: GameInfo, name: str) -> OwnBot:
    """The starter with this name. Raises Http404."""
    own_bot = next((bot for bot in starters(info) if bot.name == name), None)
    if own_bot is None:
        raise Http404
    return own_bot


def kit(competition: Competition, bot: OwnBot) -> tuple[str, bytes]:
    """File name and contents of the zip. Everything is in one folder, with the same name."""
    info = competition.info
    folder = f"{competition.slug}-{bot.language}"
    context = _context(competition, info, bot)
    files = {
        f"{name}.md": render_to_string(f"competitions/kit/{name}.md", context).strip().encode() + b"\n"
        for name in ("AGENTS", "README")
    }
    rules = info.folder / RULES
    if rules.is_file():
        files["RULES.md"] = fill(rules.read_text(encoding="utf-8"), info).encode()
    files |= _program(bot)
    return f"{folder}.zip", zipped({f"{folder}/{name}": data for name, data in files.items()})


def _program(bot: OwnBot) -> dict[str, bytes]:
    if bot.path.is_file():
        return {bot.path.name: bot.path.read_bytes()}
    paths = (path for path in bot.path.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(bot.path.parent)): path.read_bytes() for path in paths}


def _context(competition: Competition, info: GameInfo, bot: OwnBot) -> dict[str, object]:
    house = house_bots(info)
    others = [house_bot.name for house_bot in house if house_bot.name != bot.name] or [
        house_bot.name for house_bot in house
    ]
    return {
        "site": settings.SITE_URL,
        "slug": competition.slug,
        "game": info.slug,
        "title": info.title,
        "limits": info.limits,
        "program": bot.path.name,
        "house": house,
        "opponents": [shlex.quote(name) for name in islice(cycle(others), max(info.min_seats, 2) - 1)]
        if info.max_seats > 1
        else [],
    }
