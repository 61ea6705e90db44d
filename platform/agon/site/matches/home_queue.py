"""Which match of the queue `home` is played next: challenges with a bot at home.

They have workers of their own, which hold no other match up, since such a match lasts as long as its bots at
home take. One is played when all of its bots at home are connected, one at a time of each bot and each author
who challenged, and first for the author whose turn was longest ago. One without a clock is played against
house bots alone, and one at a time on the site, so that the workers are not all held for an hour. (Two
workers that claim at the same moment do not see each other's choice: there may be one more of an author, or
without a clock, for once. Never of a bot: its program plays one match at a time, and would begin each anew
whenever it is asked in the other one.)
"""

from collections import defaultdict
from datetime import UTC, datetime
from typing import NamedTuple

from django.db.models import Max, Min, QuerySet

from agon.site.bots import at_home
from agon.site.bots.models import Bot
from agon.site.bots.states import State as SubmissionState
from agon.site.core.db.leases import now
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State

NEVER = datetime.min.replace(tzinfo=UTC)
FIELDS = (
    *("match", "match__challenge__owner", "submission__bot", "submission__state", "submission__bot__house"),
    *("submission__bot__line__seen", "submission__bot__line__no_clock"),
)


class _Seated(NamedTuple):
    match: int
    owner: int | None
    bot: int
    state: str
    house: bool
    seen: datetime | None
    no_clock: bool | None

    @property
    def is_home(self) -> bool:
        return self.state == SubmissionState.HOME


def candidates(queued: QuerySet[Match]) -> list[int]:
    """The matches among `queued` that may be played now, best first."""
    queued = queued.filter(queue=Match.Queue.HOME)
    firsts = list(
        queued.order_by().values("challenge").annotate(first=Min("pk")).values_list("first", flat=True)
    )
    if not firsts:
        return []
    playing = [seat for seats in _seated(state=State.RUNNING).values() for seat in seats]
    busy = {seat.bot for seat in playing if seat.is_home}
    owners = {seat.owner for seat in playing}
    no_clock = any(seat.is_home and seat.no_clock for seat in playing)
    opponents = {
        match: seats[0].owner
        for match, seats in _seated(pk__in=firsts).items()
        if seats[0].owner not in owners
        and not busy & {seat.bot for seat in seats}
        and _are_ready(seats, no_clock)
    }
    turns = _turns(set(opponents.values()))
    return sorted(opponents, key=lambda match: (turns.get(opponents[match], NEVER), match))


def reserve(match: Match) -> bool:
    """Lock the bots at home of a match that is being claimed; False if another match has one of them.

    It waits for no lock: who withdraws a bot locks it before its matches.
    """
    wanted = set(match.seats.filter(submission__bot__home=True).values_list("submission__bot", flat=True))
    bots = Bot.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
    if len(bots.filter(pk__in=wanted)) < len(wanted):
        return False
    playing = Seat.objects.filter(match__queue=Match.Queue.HOME, match__state=State.RUNNING)
    return not playing.filter(submission__bot__in=wanted).exists()


def is_without_clock(match: Match) -> bool:
    """Whether one bot at home, which wants no clock, plays house bots alone."""
    [seats] = _seated(pk=match.pk).values()
    return _is_alone(seats) and any(seat.no_clock for seat in seats)


def _are_ready(seats: list[_Seated], no_clock_plays: bool) -> bool:
    at_homes = [seat for seat in seats if seat.is_home]
    since = now() - at_home.ALIVE
    if any(seat.seen is None or seat.seen < since for seat in at_homes):
        return False
    if any(seat.no_clock for seat in at_homes):
        return _is_alone(seats) and not no_clock_plays
    return True


def _is_alone(seats: list[_Seated]) -> bool:
    return sum(seat.is_home for seat in seats) == 1 and all(seat.is_home or seat.house for seat in seats)


def _seated(**conditions: object) -> dict[int, list[_Seated]]:
    seats: dict[int, list[_Seated]] = defaultdict(list)
    matches = Match.objects.filter(queue=Match.Queue.HOME, **conditions)
    for row in Seat.objects.filter(match__in=matches).order_by("match", "number").values_list(*FIELDS):
        seats[row[0]].append(_Seated(*row))
    return seats


def _turns(owners: set[int | None]) -> dict[int | None, datetime]:
    """When a match of each of these authors was begun last."""
    begun = Match.objects.filter(queue=Match.Queue.HOME, challenge__owner__in=owners, started__isnull=False)
    rows = begun.order_by().values_list("challenge__owner").annotate(last=Max("started"))
    return dict(rows)
