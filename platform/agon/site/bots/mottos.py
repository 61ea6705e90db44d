"""What house bots would say: the line of character that a game gives each of its own."""

from games.core import manifest
from games.core.manifest import BadManifest, UnknownGame


def mottos(game: str) -> dict[str, str]:
    """The mottos of a game's house bots by name, in English. {} if the game cannot be loaded."""
    try:
        house = manifest.load(game).house
    except (UnknownGame, BadManifest, OSError):
        return {}
    return {bot.name: bot.motto for bot in house if bot.motto}
