"""The results of a competition that its ratings do not explain, for its organizers."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.leaderboards.fitting import authors_of, stored_pairs
from agon.site.leaderboards.models import Rated, Rating
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.statistics.ratings.counts import Pair

MOST_ROWS = 50  # of each list
MOST_OPPONENTS = 15  # of an uneven bot


class Against(NamedTuple):
    """A bot's results against the opponents of one author. share, expected: of 100; a tie is half.

    matches: opponents, each with the address of the list of its matches with the bot.
    """

    bot: Bot
    opponents: list[tuple[Bot, str]]
    comparisons: int
    share: float
    expected: float


class Odd(NamedTuple):
    """pairs: the odd ones. uneven: bots with what they got against the opponents that gave them most."""

    pairs: list[Against]
    uneven: list[tuple[Bot, list[Against]]]


def odd_results(competition: Competition) -> Odd:
    """What agon.statistics.ratings.oddities finds in all rated matches."""
    # Only here: numpy takes long to import, and few processes of a site ever need it.
    from agon.statistics.ratings.oddities import Score, odd_pairs, scores, uneven_bots

    rated = Rated.objects.filter(rating__competition=competition).order_by("-submission__number")
    bot_of = dict(rated.values_list("rating", "submission__bot"))
    ratings = dict(Rating.objects.filter(pk__in=bot_of).values_list("pk", "rating"))
    pairs: list[Pair] = stored_pairs(competition.pk)
    met = scores((pair for pair in pairs if pair.first in bot_of and pair.second in bot_of), ratings, bot_of)
    authors = {bot_of[rating]: author for rating, author in authors_of(competition.pk).items()}
    bots = competition.bots.select_related("owner").in_bulk()

    def against(bot: int, opponents: tuple[int, ...], score: Score) -> Against:
        listed = [(bots[opponent], _matches(competition, bot, opponent)) for opponent in opponents]
        return Against(bots[bot], listed, score.comparisons, 100 * score.share, 100 * score.expected_share)

    return Odd(
        [against(*odd_pair) for odd_pair in odd_pairs(met, authors)[:MOST_ROWS]],
        [
            (
                bots[uneven_bot.bot],
                [against(uneven_bot.bot, *scored) for scored in uneven_bot.scores[:MOST_OPPONENTS]],
            )
            for uneven_bot in uneven_bots(met, authors)[:MOST_ROWS]
        ],
    )


def _matches(competition: Competition, bot: int, against: int) -> str:
    query = {"kind": Match.Kind.LADDER.value, "state": State.FINISHED.value, "bot": bot, "against": against}
    return f"{reverse('matches', args=[competition.slug])}?{urlencode(query)}"
