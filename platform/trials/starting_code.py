"""What the editor may open with: a game's starter bots of one file, or a program with a readable form."""

from collections.abc import Iterable
from typing import NamedTuple

from bots import languages
from bots.models import Submission
from bots.states import State
from competitions.models import Competition
from games.core.manifest import BadManifest, GameInfo, starters

PREFERRED = "python"  # what most newcomers know, and what is ready soonest


class Starter(NamedTuple):
    """name: in the manifest. title: of the language, which tells starters apart."""

    name: str
    language: str
    title: str
    text: str


def starters_of(info: GameInfo) -> list[Starter]:
    """The starters that can be edited here and whose languages work here, Python's first."""
    titles = {each.slug: each.title for each in languages.offered()}
    found = [
        Starter(bot.name, bot.language, titles[bot.language], bot.path.read_text("utf-8"))
        for bot in starters(info)
        if bot.language in titles and bot.path.is_file()
    ]
    return sorted(found, key=lambda each: each.language != PREFERRED)


def easiest(competitions: Iterable[Competition]) -> Competition | None:
    """Where a newcomer begins: the competition with the fewest seats, and then with the shortest starter.

    Only open competitions in which a house bot plays; None if there is none.
    """
    active = Submission.objects.filter(state=State.ACTIVE, bot__house=True)
    played = set(active.values_list("bot__competition", flat=True))
    offered = [each for each in competitions if each.is_open and each.pk in played]
    games = {each.game: each.info for each in offered}  # many competitions are of one game
    there = {game: _starters_there(info) for game, info in games.items()}
    sizes = {
        each: (each.info.min_seats, found[0].text.count("\n"), each.pk)
        for each in offered
        if (found := there[each.game])
    }
    return min(sizes, key=lambda each: sizes[each], default=None)


def _starters_there(info: GameInfo) -> list[Starter]:
    """None where a file of one is gone since the game was loaded, which concerns that game's pages alone."""
    try:
        return starters_of(info)
    except (BadManifest, OSError):
        return []
