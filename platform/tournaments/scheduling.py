"""The matches of a running tournament: queued in chunks, withdrawn where an entrant was stopped, counted out.

The whole schedule is determined at the start: contest.formats is a pure function of entrants, rounds and what
contest.secret_seeds derives from the seed and the tournament's salt. The matches are queued in chunks, one
transaction each. How many exist is written in the same transaction, so that `tick` continues where a killed
process stopped, and no match is queued twice. A tournament is finished when all its matches are finished,
void or withdrawn.
"""

from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from agon.db.reasons import reason
from agon.db.transitions import move_all
from agon.isolation import for_each_isolated
from agon.queue.notify import notify_on_commit
from contest import formats
from contest.formats import Pairing
from contest.secret_seeds import Seeds
from matches import queueing
from matches import states as match_states
from matches.models import Match, Seat
from matches.states import GOING_ON, OVER
from matches.states import State as MatchState
from tournaments import states
from tournaments.models import Entrant, Tournament
from tournaments.states import State

CHUNK = 1000  # matches queued in one transaction, and no more before most of them are played
STOPPED = reason(gettext_noop("One of its bots was stopped."))  # why a match was withdrawn


@transaction.atomic
def schedule(tournament: Tournament) -> int:
    """Queue the next chunk of a running tournament's matches, if few are waiting; how many were queued."""
    current = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if current.state != State.RUNNING or current.scheduled == current.total:
        return 0
    if current.matches.filter(state=MatchState.QUEUED).count() > CHUNK // 2:
        return 0
    entrants = list(current.entrants.values_list("submission", "name"))
    new = slice(current.scheduled, current.scheduled + CHUNK)
    chunk = pairings(current)[new]
    seeds = _seeds(current.seeds, *_shape(current))[new]
    queueing.queue_many(
        (
            (
                Match(
                    competition=current.competition,
                    tournament=current,
                    kind=Match.Kind.TOURNAMENT,
                    queue=Match.Queue.BULK,
                    seed=seed,
                    index=pairing.index,
                    round=pairing.round,
                ),
                [entrants[entrant] for entrant in pairing.seats],
            )
            for pairing, seed in zip(chunk, seeds, strict=True)
        ),
        Match.Queue.BULK,
    )
    withdraw_stopped(current)
    current.scheduled += len(chunk)
    current.save(update_fields=["scheduled"])
    return len(chunk)


def pairings(tournament: Tournament) -> tuple[Pairing, ...]:
    """The schedule of a tournament that was started."""
    return _schedule(*_shape(tournament), tournament.seeds.of_seatings())


def settle(tournament_id: int) -> bool:
    """Finish a running tournament of which every match is over; whether it was finished now."""
    if Match.objects.filter(tournament=tournament_id, state__in=GOING_ON).exists():
        return False
    return _finish_if_over(tournament_id)


@transaction.atomic
def _finish_if_over(tournament_id: int) -> bool:
    tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
    if tournament.state != State.RUNNING or tournament.scheduled < tournament.total:
        return False
    if tournament.matches.exclude(state__in=OVER).exists():
        return False
    tournament.move(states.FINISH, finished_at=timezone.now())
    return True


def tick() -> None:
    """What the sweeper does for tournaments: go on scheduling, finish, hold what a pause has missed."""
    running = Tournament.objects.filter(state=State.RUNNING)
    for_each_isolated(running, schedule)
    for_each_isolated(list(running.values_list("pk", flat=True)), settle)
    strays = Match.objects.filter(
        Q(tournament__state=State.PAUSED, state=MatchState.QUEUED)
        | Q(tournament__state=State.RUNNING, state=MatchState.HELD)
    )
    for_each_isolated(set(strays.values_list("tournament", flat=True)), _set_right)


@transaction.atomic
def _set_right(tournament_id: int) -> None:
    """Hold, or queue, matches that were given back by their worker just when it was paused, or resumed."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
    matches = tournament.matches.all()
    if tournament.state == State.PAUSED:
        move_all(matches, match_states.HOLD)
    elif tournament.state == State.RUNNING:
        notify_on_commit(Match.Queue.BULK, move_all(matches, match_states.RESUME))


def withdraw_stopped(tournament: Tournament) -> int:
    """Withdraw what stopped entrants have still to play; how many matches. Within a transaction."""
    if not tournament.entrants.exclude(stopped="").exists():
        return 0
    waiting = (MatchState.QUEUED, MatchState.HELD)
    matches = tournament.matches.filter(pk__in=matches_of_stopped(tournament), state__in=waiting)
    return move_all(matches, match_states.WITHDRAW, reason=STOPPED, finished_at=timezone.now())


def matches_of_stopped(tournament: Tournament) -> QuerySet[Seat, Any]:
    """The ids of the matches in which a stopped entrant has a seat."""
    out = Entrant.objects.filter(tournament=tournament).exclude(stopped="").values("submission")
    return Seat.objects.filter(match__tournament=tournament, submission__in=out).values("match")


def _shape(tournament: Tournament) -> tuple[str, int, int, int]:
    return tournament.format, tournament.entrants.count(), tournament.seats, tournament.rounds


@lru_cache(maxsize=2)
def _seeds(seeds: Seeds, *shape: *tuple[str, int, int, int]) -> tuple[int, ...]:
    return tuple(seeds.of_schedule(_schedule(*shape, seeds.of_seatings())))


@lru_cache(maxsize=2)
def _schedule(format: str, entrants: int, seats: int, rounds: int, seed: int) -> tuple[Pairing, ...]:
    return tuple(formats.schedule(format, entrants, seats, rounds, seed))
