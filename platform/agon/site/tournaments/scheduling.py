"""Queues the matches of a running tournament, withdraws those of stopped entrants, and ends the tournament.

- What is played: agon.contest.formats is a pure function of the entrants, the settings, what
  agon.contest.secret_seeds derives from the tournament's seed and salt, and the results so far. If the format
  needs no results, the whole schedule is known at the start and is queued in chunks, each in the order of
  agon.contest.play_order; otherwise a round is
  queued when all matches before it are over.
- Failure: one transaction, with the tournament locked, queues matches and writes how many there are. So
  `tick` continues where a killed process stopped, and no match is queued twice.
- The end: a tournament is finished when the format has no more matches and all matches are finished, void or
  withdrawn.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, TypeAlias

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from agon.contest import formats
from agon.contest.formats import Absence, History, Outcome, Plan, ScheduledMatch, Value
from agon.contest.play_order import evenly
from agon.contest.points import Result
from agon.contest.secret_seeds import Seeds
from agon.contest.standings import outcome_of
from agon.site.core.db.transitions import move_all
from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import notify_on_commit
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches import queueing
from agon.site.matches import states as match_states
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import GOING_ON, OVER
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import states
from agon.site.tournaments.game_rules import rules_of
from agon.site.tournaments.models import Entrant, SeedDraw, Tournament
from agon.site.tournaments.results import results
from agon.site.tournaments.states import State
from games.core.broken import working_games

CHUNK = 1000  # matches queued in one transaction; the next ones when half as many are left
LARGEST_CHUNK = 4 * CHUNK
# A Plan as a hashable value: the key for cached schedules.
Shape: TypeAlias = tuple[str, int, int, int, int, tuple[tuple[str, Value], ...]]
STOPPED = StoredReason("one_bot_stopped")  # why a match was withdrawn


@transaction.atomic
def schedule(tournament: Tournament) -> int:
    """Queue the next chunk of a running tournament's matches if few are waiting; returns how many."""
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if current.state != State.RUNNING or current.scheduled == current.total:
        return 0
    if current.chosen_format.needs_results:
        return _schedule_round(current)
    if current.matches.filter(state=MatchState.QUEUED).count() > CHUNK // 2:
        return 0
    shape = _shape(plan(current))
    known, seeds = _schedule(shape), _seeds(current.seeds, shape)
    chunk = evenly(known[current.scheduled : _end_of_chunk(known, current.scheduled)])
    return _queue(current, chunk, [seeds[scheduled.index] for scheduled in chunk])


def _end_of_chunk(known: Sequence[ScheduledMatch], begin: int) -> int:
    """Where the next chunk ends: with a round, so that all have played equally often, if that is near."""
    end = min(begin + CHUNK, len(known))
    while end < min(begin + LARGEST_CHUNK, len(known)) and known[end].round == known[end - 1].round:
        end += 1
    return end


def _schedule_round(current: Tournament) -> int:
    """Queue the next round if the last one is over; if there is none, write the total number of matches."""
    if current.matches.filter(state__in=GOING_ON).exists():
        return 0
    known_plan, played = plan(current), history(current)
    scheduled_matches = formats.next_round(known_plan, played, current.scheduled)
    if scheduled_matches:
        current.expected = formats.expected_matches(known_plan, played)
        current.save(update_fields=["expected"])
        seeds = current.seeds_from(current.scheduled)
        return _queue(current, scheduled_matches, list(seeds.of_schedule(scheduled_matches)))
    current.total, current.expected = current.scheduled, None
    current.save(update_fields=["total", "expected"])
    return 0


def _queue(current: Tournament, chunk: Sequence[ScheduledMatch], seeds: Sequence[int]) -> int:
    entrants = list(current.entrants.values_list("submission", "name"))
    planned = (
        queueing.Planned(
            [entrants[entrant] for entrant in scheduled.seats], seed, scheduled.index, scheduled.round
        )
        for scheduled, seed in zip(chunk, seeds, strict=True)
    )
    queueing.queue_many(current.competition, Match.Kind.TOURNAMENT, planned, tournament=current)
    withdraw_stopped(current)
    current.scheduled += len(chunk)
    current.save(update_fields=["scheduled"])
    return len(chunk)


def plan(tournament: Tournament) -> Plan:
    """The inputs of the schedule, apart from results."""
    ratings = tournament.ratings
    return formats.make_plan(
        tournament.format,
        len(ratings),
        tournament.seats,
        tournament.rounds,
        tournament.seeds.of_seatings(),
        tournament.format_settings,
        rules_of(tournament).points.name,
        ratings,
    )


def scheduled_matches(tournament: Tournament) -> tuple[ScheduledMatch, ...]:
    """The schedule of a tournament that was started, as far as it is known."""
    known_plan = plan(tournament)
    if not tournament.chosen_format.needs_results:
        return _schedule(_shape(known_plan))
    return tuple(scheduled for scheduled, _outcome in outcomes(tournament))


def schedule_in_order(tournament: Tournament) -> Iterator[ScheduledMatch]:
    """The same, one by one: only where the schedule depends on results is all of it in memory."""
    if tournament.chosen_format.needs_results:
        return iter(scheduled_matches(tournament))
    return formats.in_order(plan(tournament))


def next_round(tournament: Tournament) -> list[ScheduledMatch] | None:
    """What follows from the results so far, where the format needs them; None at the end."""
    return formats.next_round(plan(tournament), history(tournament), tournament.scheduled)


def history(tournament: Tournament, changed: Mapping[int, Result] = MappingProxyType({})) -> History:
    """The rounds so far with their outcomes and absences, for agon.contest.formats.

    changed: results by index that replace those in the database.
    """
    played = [(scheduled.round, outcome) for scheduled, outcome in outcomes(tournament, changed)]
    return formats.history_of(plan(tournament), played, absences(tournament))


def outcomes(
    tournament: Tournament, changed: Mapping[int, Result] = MappingProxyType({})
) -> list[tuple[ScheduledMatch, Outcome]]:
    """Every match that exists with its outcome, in order; one that is not over has no result yet.

    changed: as in `history`.
    """
    known_plan = plan(tournament)
    disqualifying_kinds = rules_of(tournament).disqualifying
    played = results(tournament) | dict(changed)
    entrants = dict(tournament.entrants.values_list("submission", "number"))
    rows = Seat.objects.filter(match__tournament=tournament).order_by("match__index", "number")
    in_play = set(tournament.matches.filter(state__in=GOING_ON).values_list("index", flat=True))
    outcomes: list[tuple[ScheduledMatch, Outcome]] = []
    seats_of = itertools.groupby(
        rows.values_list("match__index", "match__round", "submission"), key=lambda row: row[:2]
    )
    for round, matches in itertools.groupby(seats_of, key=lambda match: match[0][1]):
        for number, ((index, _round), seats) in enumerate(matches):
            scheduled = ScheduledMatch(index, round, number, tuple(entrants[row[2]] for row in seats))
            result = played.get(index)
            outcome = outcome_of(scheduled.seats, result, known_plan, disqualifying_kinds)
            outcomes.append((scheduled, outcome._replace(is_open=result is None and index in in_play)))
    return outcomes


def absences(tournament: Tournament) -> list[Absence]:
    """The absences of entrants: rounds in which they were out, in order of entry."""
    rows = tournament.entrants.exclude(absences=[]).values_list("number", "absences")
    return [Absence(number, since, until) for number, periods in rows for since, until in periods]


def rounds_scheduled(tournament: Tournament) -> int:
    """The number of rounds of which matches exist."""
    last = tournament.matches.aggregate(last=Max("round"))["last"]
    return 0 if last is None else int(last) + 1


def settle(tournament_id: int) -> bool:
    """Once every match of a running tournament is over, schedule more or finish it; True if it finished."""
    if Match.objects.filter(tournament=tournament_id, state__in=GOING_ON).exists():
        return False
    with transaction.atomic():  # no pause comes in between: matches run again then may call for another round
        schedule(Tournament.objects.get(pk=tournament_id))
        return _finish_if_over(tournament_id)


@transaction.atomic
def _finish_if_over(tournament_id: int) -> bool:
    tournament = Tournament.objects.select_for_update(no_key=True).get(pk=tournament_id)
    if tournament.state != State.RUNNING or tournament.scheduled < tournament.total:
        return False
    if tournament.matches.exclude(state__in=OVER).exists():
        return False
    tournament.move(states.FINISH, finished_at=timezone.now())
    return True


def reopen_if_unfinished(tournament: Tournament) -> SeedDraw | None:
    """Resume a finished tournament if its results, which have changed, call for another round.

    Returns what the seeds of its new rounds are derived from, since its salt may be public. Call it in the
    transaction that changes the results, with the tournament locked.
    """
    if tournament.state != State.FINISHED or not tournament.chosen_format.needs_results:
        return None
    if not next_round(tournament):
        return None
    # Places may be others at the new end, so revealing begins again at the last one.
    total = formats.most_matches(plan(tournament))
    tournament.move(states.REOPEN, finished_at=None, total=total, revealed=0)
    transaction.on_commit(partial(schedule, tournament))
    return SeedDraw.objects.create(tournament=tournament, since=tournament.scheduled)


def tick() -> None:
    """Called by the sweeper: schedule, finish, and hold or resume matches that a pause or resume missed."""
    working = [info.slug for info in working_games()]
    running = Tournament.objects.filter(state=State.RUNNING, competition__game__in=working)
    for_each_isolated(list(_with_chunk_due(running)), schedule)
    going_on = Match.objects.filter(tournament=OuterRef("pk"), state__in=GOING_ON)
    over = running.filter(~Exists(going_on))
    for_each_isolated(list(over.values_list("pk", flat=True)), settle)
    to_correct = Match.objects.filter(
        Q(tournament__state=State.PAUSED, state=MatchState.QUEUED)
        | Q(tournament__state=State.RUNNING, state=MatchState.HELD)
    )
    for_each_isolated(set(to_correct.values_list("tournament", flat=True)), _hold_or_resume)


def _with_chunk_due(running: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Those whose next matches need no results, and of which few are waiting."""
    in_chunks = [name for name, format in formats.FORMATS.items() if not format.needs_results]
    queued = Match.objects.filter(tournament=OuterRef("pk"), state=MatchState.QUEUED)
    many_are_queued = Exists(queued[CHUNK // 2 :])
    return running.filter(~many_are_queued, format__in=in_chunks, scheduled__lt=F("total"))


@transaction.atomic
def _hold_or_resume(tournament_id: int) -> None:
    """Hold or queue the matches that a worker gave back at the moment of the pause, or of the resume."""
    tournament = Tournament.objects.select_for_update(no_key=True).get(pk=tournament_id)
    matches = tournament.matches.all()
    if tournament.state == State.PAUSED:
        move_all(matches, match_states.HOLD)
    elif tournament.state == State.RUNNING:
        notify_on_commit(Match.Queue.BULK, move_all(matches, match_states.RESUME))


def withdraw_stopped(tournament: Tournament) -> int:
    """Withdraw the waiting matches of stopped entrants; returns how many. Call it in a transaction."""
    if not tournament.entrants.exclude(stopped="").exists():
        return 0
    waiting = (MatchState.QUEUED, MatchState.HELD)
    matches = tournament.matches.filter(pk__in=matches_of_stopped(tournament), state__in=waiting)
    return queueing.withdraw(matches, STOPPED)


def matches_of_stopped(tournament: Tournament) -> QuerySet[Seat, Any]:
    """A query for the ids of the matches in which a stopped entrant has a seat."""
    out = Entrant.objects.filter(tournament=tournament).exclude(stopped="").values("submission")
    return Seat.objects.filter(match__tournament=tournament, submission__in=out).values("match")


def _shape(plan: Plan) -> Shape:
    return *(plan.format, plan.entrants, plan.seats, plan.rounds, plan.seed), tuple(plan.settings.items())


@lru_cache(maxsize=2)
def _seeds(seeds: Seeds, shape: Shape) -> tuple[int, ...]:
    return tuple(seeds.of_schedule(_schedule(shape)))


@lru_cache(maxsize=2)
def _schedule(shape: Shape) -> tuple[ScheduledMatch, ...]:
    return tuple(formats.schedule(*shape[:5], dict(shape[5])))
