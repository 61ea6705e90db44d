"""The programs that the editor opens with: a game's starter bots of one file."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import get_language

from agon.site.bots import languages
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from games.core.comments import with_comments
from games.core.manifest import BadManifest, GameInfo, starters

PREFERRED = "python"  # known to most newcomers, and the fastest to build


class Starter(NamedTuple):
    """A starter bot. name: in the manifest. title: of its language, which distinguishes starters."""

    name: str
    language: str
    title: str
    text: str


def starters_of(info: GameInfo) -> list[Starter]:
    """The starters that consist of one file and whose languages work here, Python's first.

    Their comments are in the reader's language where the game has them.
    """
    reads = get_language() or ""
    titles = {language.slug: language.title for language in languages.offered()}
    offers = [
        Starter(bot.name, bot.language, titles[bot.language], with_comments(bot.path, reads))
        for bot in starters(info)
        if bot.language in titles and bot.path.is_file()
    ]
    return sorted(offers, key=lambda starter: starter.language != PREFERRED)


def easiest(competitions: Iterable[Competition]) -> Competition | None:
    """The best competition for a newcomer: the one with the fewest seats, and then with the shortest starter.

    Considers open competitions in which a house bot plays; None if there is none.
    """
    active = Submission.objects.filter(state=State.ACTIVE, bot__house=True)
    with_house_bots = set(active.values_list("bot__competition", flat=True))
    offered = [
        competition
        for competition in competitions
        if competition.is_open and competition.pk in with_house_bots
    ]
    games = {competition.game: competition.info for competition in offered}  # competitions may share a game
    starters_by_game = {game: _starters_if_readable(info) for game, info in games.items()}
    sizes = {
        competition: (competition.info.min_seats, starters[0].text.count("\n"), competition.pk)
        for competition in offered
        if (starters := starters_by_game[competition.game])
    }
    return min(sizes, key=lambda slug: sizes[slug], default=None)


def _starters_if_readable(info: GameInfo) -> list[Starter]:
    """The starters; [] if a file has vanished since the game was loaded, which must not break other pages."""
    try:
        return starters_of(info)
    except (BadManifest, OSError):
        return []
