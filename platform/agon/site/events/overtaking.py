"""Notifies owners that a bot of someone else has overtaken theirs.

Ratings move all the time, and few of these moves mean anything. So the order of the ranked bots is looked at
once in EVERY, and compared with how it was the last time: what went back meanwhile is not reported, and a bot
is overtaken at most once in EVERY. A rating counts as it was until it has moved by MOVED points, so two bots
that stay close to each other do not overtake each other again and again. A bot whose own version has changed
was not overtaken: its owner did that.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction

from agon.site.bots.models import Bot
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.events import feed
from agon.site.events.models import Kind, Order
from agon.site.leaderboards import table
from agon.site.leaderboards.models import Leaderboard

EVERY = timedelta(hours=1)
MOVED = 5.0  # points


class Place(NamedTuple):
    """A ranked bot, as it is stored. version: a submission."""

    bot: int
    version: int
    rating: float


def tick() -> None:
    """Look at the leaderboards that are due and have changed. Called by the sweeper."""
    moment = now()
    seen = {order.competition_id: order for order in Order.objects.defer("bots")}
    due = [
        competition
        for competition, version in Leaderboard.objects.values_list("competition", "version")
        if competition not in seen
        or (seen[competition].version != version and seen[competition].at <= moment - EVERY)
    ]
    for_each_isolated(due, look)


@transaction.atomic
def look(competition: int) -> None:
    """Compare the order with the one that is stored, notify owners, and store the new one."""
    board = Leaderboard.objects.select_related("competition").get(competition=competition)
    moment = now()
    order, is_new = Order.objects.select_for_update(no_key=True).get_or_create(
        competition_id=competition, defaults={"version": board.version, "at": moment}
    )
    if not is_new and order.at > moment - EVERY:  # another process was faster
        return
    before = [Place(*bot) for bot in order.bots]
    ranked = [row for row in table.rows(board.competition) if row.best]
    after = _steadied(before, [Place(row.bot_id, row.submission_id, row.rating) for row in ranked])
    if not is_new:
        _notify(overtaken(before, after, {row.bot_id: row.author for row in ranked}))
    order.version, order.at, order.bots = board.version, moment, [list(place) for place in after]
    order.save()


def overtaken(
    before: Sequence[Place], after: Sequence[Place], authors: dict[int, str]
) -> list[tuple[int, int]]:
    """Pairs of a bot that was overtaken, and the nearest one of those that overtook it."""
    earlier = {place.bot: place for place in before}
    result = []
    best_first = sorted(after, key=lambda placed: -placed.rating)
    for index, mine in enumerate(best_first):
        was = earlier.get(mine.bot)
        if was is None or was.version != mine.version:
            continue
        for other in reversed(best_first[:index]):
            is_ahead = other.rating > mine.rating and authors[other.bot] != authors[mine.bot]
            if is_ahead and (other.bot not in earlier or earlier[other.bot].rating <= was.rating):
                result.append((mine.bot, other.bot))
                break
    return result


def _steadied(before: Sequence[Place], now: Sequence[Place]) -> list[Place]:
    """The places now; a rating that has hardly moved is the one before."""
    earlier = {(place.bot, place.version): place.rating for place in before}
    steadied = []
    for current in now:
        was = earlier.get((current.bot, current.version), current.rating)
        steadied.append(current._replace(rating=was) if abs(current.rating - was) < MOVED else current)
    return steadied


def _notify(pairs: Sequence[tuple[int, int]]) -> None:
    theirs = Bot.objects.filter(house=False).in_bulk([bot for bot, _by in pairs])
    for bot, by in pairs:
        if bot in theirs:
            feed.add(Kind.BOT_OVERTAKEN, None, theirs[bot].owner_id, bot=bot, by=by)
