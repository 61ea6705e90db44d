"""Advances a comparison: counts its cycles, decides, and queues what is played next.

`advance` is idempotent: each time it reads all results from the matches, in the order of the schedule. If a
process dies, the sweeper calls it for comparisons that have no match left to play. A cycle in which a match
is void or withdrawn proves nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.states import BotState
from agon.site.comparisons import states
from agon.site.comparisons.models import Comparison
from agon.site.comparisons.states import State
from agon.site.competitions.models import Competition
from agon.site.core.isolation import for_each_isolated
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches import queueing
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import GOING_ON
from agon.site.matches.states import State as MatchState
from agon.site.teams.queries import active
from agon.statistics.compare.cycles import difference, seatings, seed_of
from agon.statistics.compare.sequential import CycleTally, Verdict, decide

if TYPE_CHECKING:
    from agon.statistics.score import Estimate

CANCELLED = StoredReason("comparison_cancelled")  # why a match was withdrawn


class Counted(NamedTuple):
    """The result of the finished cycles.

    verdict: None if more cycles are to be played. void: how many cycles were left out. matches: how many
    matches were counted.
    """

    tally: CycleTally
    verdict: Verdict | None
    void: int
    matches: int


def advance(pk: int) -> None:
    """Count, and finish or queue the next cycles if no match is left to be played."""
    with transaction.atomic():
        comparison = Comparison.objects.select_for_update(of=("self",), no_key=True).get(pk=pk)
        going_on = Match.objects.filter(comparison=pk, state__in=GOING_ON)
        if comparison.state != State.RUNNING or going_on.exists():
            return
        if (
            Submission.objects.filter(pk__in=comparison.opponents)
            .exclude(bot__state=BotState.ENTERED)
            .exists()
        ):
            cancel(comparison)
            return
        counted = count(comparison)
        if counted.verdict is None and comparison.queued < comparison.most_cycles:
            _queue(comparison, counted)
        else:
            _finish(comparison, counted)


def count(comparison: Comparison) -> Counted:
    """Count the finished cycles, in order, up to the one that decides the comparison."""
    tally, void, matches = CycleTally(), 0, 0
    for ranks in _cycles(comparison):
        if ranks is None:
            void += 1
            continue
        tally = tally.with_cycle(difference(ranks))
        matches += len(ranks)
        verdict = decide(comparison.plan, tally)
        if verdict is not None:
            return Counted(tally, verdict, void, matches)
    return Counted(tally, None, void, matches)


def estimate_of(comparison: Comparison, counted: Counted) -> Estimate | None:
    """The difference and its interval, valid once the comparison has ended; None without a cycle."""
    # Only here: numpy takes long to import, and every process of a site imports this module.
    from agon.statistics.compare.interval import estimate

    return estimate(comparison.plan, counted.tally) if counted.tally.cycles else None


@transaction.atomic
def cancel(comparison: Comparison) -> None:
    """Cancel a comparison and withdraw its queued matches. Raises IllegalTransition if it is over."""
    comparison.move(states.CANCEL, finished_at=timezone.now())
    queueing.withdraw(Match.objects.filter(comparison=comparison, state=MatchState.QUEUED), CANCELLED)


def tick() -> None:
    """Advance comparisons that a dead process left behind; cancel those of bots that left play, of closed or
    archived competitions, and of people who left the team whose bot it is: they could neither see nor cancel
    what keeps them from starting another. Called by the sweeper.
    """
    running = Comparison.objects.filter(state=State.RUNNING)
    members = active().filter(team__account=OuterRef("new__bot__owner"), user=OuterRef("owner"))
    abandoned = running.exclude(
        Q(owner=F("new__bot__owner")) | Exists(members),
        new__bot__state=BotState.ENTERED,
        old__bot__state=BotState.ENTERED,
        competition__state=Competition.State.OPEN,
    )
    for_each_isolated(abandoned, cancel)
    unfinished = Match.objects.filter(comparison=OuterRef("pk"), state__in=GOING_ON)
    idle = running.filter(~Exists(unfinished)).values_list("pk", flat=True)
    for_each_isolated(list(idle), advance)


Ranks = list[tuple[tuple[int, ...], tuple[int, ...]]]


def _cycles(comparison: Comparison) -> list[Ranks | None]:
    """The leading cycles in which all matches are over: (entrants, ranks) of each match.

    None for a cycle in which a match is void or withdrawn.
    """
    rows = Seat.objects.filter(match__comparison=comparison).order_by("match__index", "number")
    fields = ("match__index", "match__state", "submission", "rank")
    matches = [list(seats) for _, seats in groupby(rows.values_list(*fields), key=itemgetter(0))]
    cycles: list[Ranks | None] = []
    for first in range(0, len(matches), comparison.per_cycle):
        cycle = matches[first : first + comparison.per_cycle]
        if any(state in GOING_ON for seats in cycle for _, state, _, _ in seats):
            break
        played = all(state == MatchState.FINISHED for seats in cycle for _, state, _, _ in seats)
        cycles.append([_entrants_and_ranks(comparison, seats) for seats in cycle] if played else None)
    return cycles


def _entrants_and_ranks(
    comparison: Comparison, seats: Sequence[tuple[int, str, int, int | None]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    numbers = {pk: number for number, pk in enumerate(_entrants(comparison))}
    entrants = tuple(numbers[submission] for _, _, submission, _ in seats)
    return entrants, tuple(rank or 0 for _, _, _, rank in seats)


def _entrants(comparison: Comparison) -> list[int]:
    """The submissions by their numbers in agon.statistics.compare.cycles: NEW, OLD, and the opponents."""
    return [comparison.new_id, comparison.old_id, *comparison.opponents]


def _queue(comparison: Comparison, counted: Counted) -> None:
    """Queue as many cycles as the next interim look of the test needs, or all that are left."""
    looks = [look for look in comparison.plan.looks if look > counted.tally.cycles]
    wanted = looks[0] - counted.tally.cycles
    cycles = range(comparison.queued, min(comparison.queued + wanted, comparison.most_cycles))
    submissions = Submission.objects.select_related("bot").in_bulk(_entrants(comparison))
    entrants = [_id_and_name(submissions[pk]) for pk in _entrants(comparison)]
    planned = (
        queueing.Planned([entrants[entrant] for entrant in seats], seed_of(comparison.seed, cycle), index)
        for cycle in cycles
        for index, seats in enumerate(_seatings(comparison, cycle), cycle * comparison.per_cycle)
    )
    queueing.queue_many(comparison.competition, Match.Kind.COMPARISON, planned, comparison=comparison)
    comparison.queued = cycles.stop
    comparison.save(update_fields=["queued"])


def _seatings(comparison: Comparison, cycle: int) -> tuple[tuple[int, ...], ...]:
    return seatings(seed_of(comparison.seed, cycle), comparison.seats, len(comparison.opponents))


def _id_and_name(submission: Submission) -> tuple[int, str]:
    """The submission's id and a name with its version, because both may be versions of one bot."""
    return submission.pk, f"{submission.bot.name[:32]} #{submission.number}"


def _finish(comparison: Comparison, counted: Counted) -> None:
    interval = estimate_of(comparison, counted)
    comparison.move_locked(
        states.FINISH,
        verdict=counted.verdict or Verdict.UNDECIDED,
        value=interval.value if interval else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        finished_at=timezone.now(),
    )
