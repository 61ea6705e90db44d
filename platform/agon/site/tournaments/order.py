"""The order in which bots enter a new tournament. It is the seeding in formats that have one."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table

ORDERS: Mapping[str, Any] = {
    "listed": _("as listed"),
    "rating": _("by rating, the best first"),
    "hand": _("by hand: the numbers beside the bots"),
    "lot": _("by lot, drawn now"),
}


def ordered(
    competition: Competition, order: str, bots: Sequence[Bot], places: Mapping[int, int] | None = None
) -> list[Bot]:
    """Sort bots. order: a key of ORDERS; places: for "hand", the place of each bot by primary key.

    Bots without a place come last, as listed, and so do unrated bots with "rating".
    """
    if order == "lot":
        return secrets.SystemRandom().sample(list(bots), len(bots))
    if order == "hand":
        by_hand = places or {}
        return sorted(bots, key=lambda bot: by_hand.get(bot.pk, len(bots) + 1))
    if order == "rating":
        best = {row.bot_id: place for place, row in enumerate(table.rows(competition))}
        return sorted(bots, key=lambda bot: best.get(bot.pk, len(best)))
    return list(bots)
