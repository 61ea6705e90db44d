"""Decides which worker plays a match, and ensures that its result counts only once.

- Processes: workers pull. `claim` takes the next queued match, `interactive` before `bulk`, and within a
  queue in the order of `agon.site.matches.queueing`. It gives the match one more attempt and a lease
  (agon.site.core.db.leases), which the worker renews while it plays. Short matches of tournaments are claimed
  several at a time (`claim_many`); those that the worker does not begin are handed back (`hand_back`) as if
  they had not been claimed. A match that failed before is claimed alone, so that no other match is lost if it
  kills its worker.
- Trust: the database alone decides. On PostgreSQL a claim skips rows that others locked; on SQLite each claim
  is one IMMEDIATE transaction. Either way no two workers get the same attempt. Every later step is guarded by
  (match, attempt, worker, running), so that only the current holder can change the match.
- Failure: a claim ends in one of these ways.

  - `finish`: one transaction writes the result, all that follows from it (ratings, the leaderboard's
    version, a qualification) and the state. It happens once or not at all. It includes the record, so that
    an attempt that dies leaves nothing behind. `finish_all` does so for several matches at once.
  - `fail`: the platform failed. The attempt is kept (agon.site.matches.attempts), and the match is queued
    again, or void after ATTEMPTS attempts; no score changes. If one of its bots left play meanwhile, it is
    withdrawn.
  - `hand_back`: the match was not begun. It is queued again with its seed, and the attempt does not count.
  - The worker dies: `give_back_expired` finds the expired lease and does the same as `fail`.
"""

import logging
from collections.abc import Collection, Sequence
from itertools import groupby, takewhile
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from agon.contest import secret_seeds
from agon.contest.arena import Played
from agon.contest.attempts import FailureKind
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.core.counting import count_on_commit
from agon.site.core.db.deadlocks import repeated_after_deadlock
from agon.site.core.db.leases import ATTEMPTS, LEASE, now
from agon.site.core.db.transitions import Transition, move_all
from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import notify_now
from agon.site.core.texts.reasons import describe
from agon.site.matches import attempts, effects, home_queue, queueing, results, states, usage
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.queueing import BOT_LEFT
from agon.site.matches.results import Ended
from agon.site.matches.states import State
from games.core.reason import NO_REASON, Reason

_FINISHED_FIELDS: dict[str, Any] = {"lease_until": None, "reason": NO_REASON}

log = logging.getLogger(__name__)


def claim(worker: str, queues: Sequence[str] = (Match.Queue.INTERACTIVE, Match.Queue.BULK)) -> Match | None:
    """Claim the next match of `queues` for `worker`, with a lease; None if none is waiting."""
    return next(iter(claim_many(worker, queues, 1)), None)


def claim_many(worker: str, queues: Sequence[str], most: int, lacking: Collection[str] = ()) -> list[Match]:
    """Claim the next match, or up to `most` consecutive tournament matches; [] if none is waiting.

    Claims at most half of those that wait, so that the last matches of a round are spread over the workers.
    lacking: the languages whose bots this worker cannot play; their matches are left to others.
    """
    for candidate in queueing.candidates(queues, lacking):
        several = most > 1 and candidate.is_many
        limit = max(1, candidate.rows[: 2 * most].count() // 2) if several else 1
        with transaction.atomic():
            locked = candidate.rows.select_for_update(skip_locked=True, of=("self",), no_key=True)
            claimed = list(locked.select_related("competition")[:limit])
            if claimed and claimed[0].queue == Match.Queue.HOME and not home_queue.reserve(claimed[0]):
                continue
            not_tried_yet = list(takewhile(lambda match: match.attempt == 0, claimed))
            if matches := not_tried_yet or claimed[:1]:  # else other workers claimed them
                _claim(matches, worker)
                return matches
    return []


def _claim(matches: Sequence[Match], worker: str) -> None:
    time = now()
    rows = Match.objects.filter(pk__in=[match.pk for match in matches])
    until = time + LEASE
    move_all(rows, states.CLAIM, attempt=F("attempt") + 1, worker=worker, started=time, lease_until=until)
    for match in matches:
        match.state, match.attempt = State.RUNNING, match.attempt + 1
        match.worker, match.started, match.lease_until = worker, time, until


def renew(*matches: Match) -> bool:
    """Extend the leases, except those that another process has locked; False if the caller holds none."""
    with transaction.atomic():
        held = [match.pk for match in _lock_available(matches)]
        renewed = Match.objects.filter(pk__in=held).update(lease_until=now() + LEASE)
    return bool(renewed or _current(matches))


def holds(match: Match) -> bool:
    """Whether the caller still holds the match. If not, its result will not count."""
    return _held(match).exists()


@repeated_after_deadlock
def finish(match: Match, played: Played) -> bool:
    """Store how the match ended; False (and nothing is changed) if the caller no longer holds it."""
    return _finish(results.just_ended(match, played))


@repeated_after_deadlock
def finish_all(ended: Sequence[Ended]) -> None:
    """Store how these matches ended in one transaction: if it fails, nothing of them is stored.

    Matches that another process has locked follow one by one. Those that the caller no longer holds are left
    alone.
    """
    locked_pks: set[int] = set()
    if len(ended) > 1:
        with transaction.atomic():
            locked_pks = {match.pk for match in _lock_available([result.match for result in ended])}
            _write([result for result in ended if result.match.pk in locked_pks])
    for result in ended:
        if result.match.pk not in locked_pks:
            _finish(result)


def _finish(ended: Ended) -> bool:
    with transaction.atomic():
        counts = _held(ended.match).select_for_update(no_key=True).exists()
        if counts:
            _write([ended])
    if not counts:
        log.info("match %s: the result of attempt %s came too late", ended.match.pk, ended.match.attempt)
    return counts


def _write(ended: Sequence[Ended]) -> None:
    """Write the results of matches that the caller has locked, and what follows from them.

    A role of PostgreSQL for workers may write them while the match is running (agon.site.fleet.worker_role).
    """
    results.write(ended)
    pks = [result.match.pk for result in ended]
    move_all(Match.objects.filter(pk__in=pks), states.FINISH, **_FINISHED_FIELDS)
    for result in ended:
        usage.charge_match(result.match, result.played.used)
        count_on_commit("matches", game=result.match.competition.game, result="finished")
    for group in _by_kind([result.match for result in ended]):
        effects.handler_for(group[0]).on_finished(group)


def hand_back(matches: Sequence[Match]) -> None:
    """Requeue matches that the caller holds and has not begun; withdraw those that are no longer wanted."""
    if not matches:
        return
    with transaction.atomic():
        queues = _hand_back(_lock_available(matches))
    for missed in _current(matches):  # locked just now by a process that was too late to claim them
        with transaction.atomic():
            locked = _held(missed).select_for_update(of=("self",), no_key=True).select_related("tournament")
            queues |= _hand_back(list(locked))
    for queue in queues:
        notify_now(queue)


def _hand_back(held: Sequence[Match]) -> set[str]:
    """Hand back these matches, which are locked; returns the queues that they are in again."""
    unwanted = _unwanted(held)
    wanted = [match for match in held if match.pk not in unwanted]
    for transition, group in groupby(sorted(wanted, key=_is_paused), key=_requeue_transition):
        rows = Match.objects.filter(pk__in=[match.pk for match in group])
        attempt = F("attempt") - 1
        move_all(rows, transition, attempt=attempt, worker="", started=None, lease_until=None)
    for match in held:
        if match.pk in unwanted:
            _withdraw(match)
    return {match.queue for match in wanted}


def is_interactive_waiting() -> bool:
    """Whether a match is waiting in the queue `interactive`, all of which comes before `bulk`."""
    return any(True for _ in queueing.candidates([Match.Queue.INTERACTIVE]))


def not_to_begin(matches: Sequence[Match]) -> list[Match]:
    """Those of these claimed matches that the caller must not begin: lost, paused, or no longer wanted."""
    held = {match.pk: match for match in _current(matches)}
    unwanted = _unwanted(list(held.values()))
    return [
        match
        for match in matches
        if match.pk not in held or match.pk in unwanted or _is_paused(held[match.pk])
    ]


@repeated_after_deadlock
def fail(
    match: Match,
    why: Reason,
    used: Sequence[float] = (),
    *,
    kind: FailureKind = FailureKind.PLATFORM,
    asked: Sequence[int] = (),
) -> bool:
    """Record that the platform failed to play the match; False if the caller no longer holds it.

    why: for staff. used: the seconds of worker time by seat, if they were measured. kind, asked: see
    agon.contest.attempts.
    """
    with transaction.atomic():
        current = _held(match).select_for_update(no_key=True).first()
        if current is not None:
            _give_back(current, attempts.keep(current, kind, why, asked), used)
    return current is not None


@repeated_after_deadlock
def take_away(match: Match, by: User, why: str) -> bool:
    """Take a running match from its worker, as if that was lost; False if this attempt is not running.

    The result of this attempt will not count. As every failed attempt it is kept, and the third one makes
    the match void. So two operators who act on the same attempt take away no other. why: for staff.
    """
    with transaction.atomic():
        running = Match.objects.filter(pk=match.pk, attempt=match.attempt, state=State.RUNNING)
        current = running.select_for_update(no_key=True).first()
        if current is not None:
            acts.record(Verb.REQUEUE, by, current.competition, subject=f"match {match.pk}", reason=why)
            details = Reason("taken_by_staff", words=why)
            _give_back(current, attempts.keep(current, FailureKind.WORKER, details))
    return current is not None


def give_back_expired() -> int:
    """Give back every match whose lease expired; returns how many."""
    expired = Match.objects.filter(state=State.RUNNING, lease_until__lt=now())

    @transaction.atomic
    def give_back(pk: int) -> bool:
        match = expired.select_for_update(skip_locked=True, no_key=True).filter(pk=pk).first()
        if match is not None:
            count_on_commit("leases_lost", of="match")
            why = Reason("this_worker_lost", worker=match.worker)
            _give_back(match, attempts.keep(match, FailureKind.WORKER, why))
        return match is not None

    return for_each_isolated(list(expired.values_list("pk", flat=True)), give_back)


def _held(match: Match) -> QuerySet[Match]:
    return Match.objects.filter(pk=match.pk, attempt=match.attempt, worker=match.worker, state=State.RUNNING)


def _current(matches: Sequence[Match]) -> list[Match]:
    """Those of these matches that the caller still holds, read again from the database."""
    attempts = {match.pk: (match.attempt, match.worker) for match in matches}
    rows = Match.objects.filter(pk__in=attempts, state=State.RUNNING).select_related("tournament")
    return [row for row in rows if (row.attempt, row.worker) == attempts[row.pk]]


def _lock_available(matches: Sequence[Match]) -> list[Match]:
    """Lock those of these matches that the caller still holds, except rows that another process has locked.

    So we never wait for one row while holding others, which could deadlock: cancelling a tournament changes
    all of its matches at once, in any order.
    """
    attempts = {match.pk: (match.attempt, match.worker) for match in matches}
    rows = Match.objects.filter(pk__in=attempts, state=State.RUNNING)
    locked = rows.select_for_update(skip_locked=True, of=("self",), no_key=True).select_related("tournament")
    return [row for row in locked if (row.attempt, row.worker) == attempts[row.pk]]


def _give_back(match: Match, failed: FailedAttempt, used: Sequence[float] = ()) -> None:
    usage.charge_match(match, used)
    log.warning("match %s, attempt %s of %s: %s", match.pk, match.attempt, ATTEMPTS, describe(failed.details))
    why = attempts.reason_of(failed.kind)
    effects.handler_for(match).on_failed_attempt(match)
    count_on_commit("failed_attempts", kind=failed.kind)
    if match.attempt >= ATTEMPTS:
        count_on_commit("matches", game=match.competition.game, result="void")
        match.move(states.GIVE_UP, lease_until=None, reason=why, finished_at=now())
        effects.handler_for(match).on_void(match, why)
    elif _unwanted([match]):
        _withdraw(match)
    else:  # no notice: the sweeper sends one later, which gives the failed part time to recover
        match.move(_requeue_transition(match), lease_until=None, reason=why, seed=_next_seed(match))


def _withdraw(match: Match) -> None:
    match.move(states.WITHDRAW, lease_until=None, reason=BOT_LEFT, finished_at=now())
    effects.handler_for(match).on_withdrawn(match)


def _next_seed(match: Match) -> int:
    """The seed of the next attempt: a bot may remember, by hidden channels, what it saw in this one."""
    if match.kind == Match.Kind.RERUN:
        seeds = match.rerun.rerun.seeds
    elif match.tournament is not None:
        seeds = match.tournament.seeds_from(match.index)
    else:
        return secret_seeds.draw()
    return seeds.again(match.seed)


def _unwanted(matches: Sequence[Match]) -> set[int]:
    """The ids of those of these unfinished matches that are no longer wanted."""
    return {pk for group in _by_kind(matches) for pk in effects.handler_for(group[0]).unwanted(group)}


def _by_kind(matches: Sequence[Match]) -> list[list[Match]]:
    ordered = sorted(matches, key=lambda match: match.kind)
    return [list(group) for _kind, group in groupby(ordered, key=lambda match: match.kind)]


def _requeue_transition(match: Match) -> Transition:
    """The transition of a match that is to be played again."""
    return states.HOLD_AGAIN if _is_paused(match) else states.REQUEUE


def _is_paused(match: Match) -> bool:
    """Whether its tournament is paused. If that changes just now, the sweeper corrects the match."""
    return match.tournament is not None and match.tournament.state == match.tournament.State.PAUSED
