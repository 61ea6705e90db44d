"""The first wins of bots among results that were just counted."""

from collections.abc import Sequence

from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State


def among(candidates: Sequence[Match], matches: Sequence[Match]) -> list[Seat]:
    """The first winning seat of each bot that had won no rated match before `matches`, which just ended.

    candidates: those that may be first wins (agon.site.leaderboards.ratings), few of them. Without any, this
    costs no query. House bots are left out.
    """
    if not candidates:
        return []
    winning = Seat.objects.filter(match__in=candidates, won=True, submission__bot__house=False)
    seats: dict[int, Seat] = {}
    for seat in winning.select_related("submission__bot").order_by("match_id"):
        seats.setdefault(seat.submission.bot_id, seat)
    earlier = Seat.objects.filter(match__kind=Match.Kind.LADDER, match__state=State.FINISHED, won=True)
    earlier = earlier.filter(submission__bot__in=seats).exclude(match__in=matches)
    had_won = set(earlier.values_list("submission__bot", flat=True))
    return [seat for bot, seat in seats.items() if bot not in had_won]
