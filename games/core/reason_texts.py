"""The sentences of the reasons that games give: those that all share, and the `reasons` of each game."""

from games.core.broken import why_broken
from games.core.game import Game
from games.core.manifest import UnknownGame, load, referee
from games.core.reason import Reason, mark

TEXTS = {
    "at": "%(position)s: %(reason)s",
    "got_empty_line": mark("got an empty line"),
    "got_text": mark("got %(text)s"),
    "function_returned": mark("but the function returned %(value)s"),
}


def named(game: Game | type[Game], reason: Reason) -> Reason:
    """A reason that a game gave, with the game's name before the codes that it declares."""
    return reason.map(code=lambda code: f"{game.slug}.{code}" if code in game.reasons else code)


def template_of(code: str) -> str:
    """The sentence of a code; "" if there is none. "chess.check" is the code `check` of the game chess."""
    slug, dot, own = code.partition(".")
    if not dot:
        return TEXTS.get(code, "")
    try:
        return "" if why_broken(slug) else referee(load(slug)).reasons.get(own, "")
    except UnknownGame:
        return ""
