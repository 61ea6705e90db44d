"""The first wins of bots among results that were just counted."""

from collections.abc import Sequence

from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State


def among(matches: Sequence[Match]) -> list[Seat]:
    """The first winning seat of each bot that had won no rated match before these. Their results are counted.

    The counts of wins are at hand, so that a usual result costs one query. House bots are left out.
    """
    pks = [match.pk for match in matches]
    winning = Seat.objects.filter(match__in=pks, won=True, submission__bot__house=False)
    few = winning.filter(submission__rated__rating__won__lte=len(pks))
    seats: dict[int, Seat] = {}
    for seat in few.select_related("submission__bot").order_by("match_id"):
        seats.setdefault(seat.submission.bot_id, seat)
    if not seats:
        return []
    earlier = Seat.objects.filter(match__kind=Match.Kind.LADDER, match__state=State.FINISHED, won=True)
    earlier = earlier.filter(submission__bot__in=seats).exclude(match__in=pks)
    had_won = set(earlier.values_list("submission__bot", flat=True))
    return [seat for bot, seat in seats.items() if bot not in had_won]
