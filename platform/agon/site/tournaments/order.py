"""The order in which bots enter a new tournament, and the seeding that an organizer chooses with it.

A format with a seeding is seeded at the start, by rating or by lot; or an organizer says who is better.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table

HAND = "hand"
ORDERS: Mapping[str, Any] = {
    "listed": _("as listed"),
    HAND: _("by hand: the numbers beside the bots"),
}
# What a format's setting "seeding" takes (agon.contest.formats.seeding), and the orders of entry.
SEEDINGS: Mapping[str, Any] = {
    "rating": _("by rating when it starts, the best first; without ratings by lot"),
    "lot": _("by lot, drawn when it starts"),
    **ORDERS,
}


def seeding_of(order: str) -> str:
    """The value of a format's setting "seeding". order: a key of SEEDINGS, or "" for the default."""
    return "order" if order in ORDERS else order or "rating"


def ordered(order: str, bots: Sequence[Bot], places: Mapping[int, int]) -> list[Bot]:
    """Sort bots. order: a key of SEEDINGS. places: for HAND, the place of each bot by primary key.

    Bots without a place come last, as listed.
    """
    if order == HAND:
        return sorted(bots, key=lambda bot: places.get(bot.pk, len(bots) + 1))
    return list(bots)


def by_rating(competition: Competition, bots: Sequence[Bot]) -> list[Bot]:
    """The best-rated first; unrated bots come last, as listed."""
    best = {row.bot_id: place for place, row in enumerate(table.rows(competition))}
    return sorted(bots, key=lambda bot: best.get(bot.pk, len(best)))
