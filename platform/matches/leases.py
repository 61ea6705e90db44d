"""Which worker plays a match, and that its result counts once.

**Processes.** Workers pull: `claim` takes the queued match that is next, `interactive` before `bulk`,
within a queue in the order of `matches.order`. It gives the match one more attempt and a lease
(agon.db.leases), which the worker renews while it plays.

**Trust.** The database alone decides. On PostgreSQL a claim skips rows that others locked; on SQLite each
claim is one IMMEDIATE transaction. Either way no two workers get the same attempt. Every later step is
guarded by (match, attempt, running), so that only the current holder is heard.

**Failure.** A claim ends in one of three ways:

- `finish`: one transaction writes the result, all that follows from it (ratings, the leaderboard's
  version, a qualification) and the state. It happens once or not at all. The record is part of it, so
  that an attempt that dies leaves nothing behind.
- `fail`: the platform failed. The match is queued again, or void after ATTEMPTS attempts; no score
  changes. If one of its bots left play meanwhile, it is withdrawn.
- nothing: the worker died. `sweep` finds the expired lease and does what `fail` does.
"""

import logging
from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from agon.db.leases import ATTEMPTS, LEASE, now
from agon.db.reasons import NO_REASON, StoredReason, foreign, reason
from agon.db.transitions import Transition, move_all
from agon.isolation import for_each_isolated
from contest import secret_seeds
from contest.arena import Played
from matches import effects, order, results, states, usage
from matches.models import Match
from matches.queueing import BOT_LEFT
from matches.states import State

WORKER_LOST = gettext_noop("worker %(worker)s was lost")

log = logging.getLogger(__name__)


def claim(worker: str, queues: Sequence[str] = (Match.Queue.INTERACTIVE, Match.Queue.BULK)) -> Match | None:
    """Claim the next match of `queues` for `worker`, with a lease; None if none waits."""
    for candidate in order.candidates(queues):
        with transaction.atomic():
            locked = candidate.select_for_update(skip_locked=True, of=("self",))
            match = locked.select_related("competition").first()
            if match is None:  # another worker claimed it
                continue
            time = now()
            match.move_locked(
                states.CLAIM,
                attempt=match.attempt + 1,
                worker=worker,
                started=time,
                lease_until=time + LEASE,
            )
            return match
    return None


def renew(match: Match) -> bool:
    """Extend the lease; False if the match is no longer the caller's."""
    return bool(_held(match).update(lease_until=now() + LEASE))


def finish(match: Match, played: Played) -> bool:
    """Store how the match ended; False (and nothing is changed) if it is no longer the caller's."""
    packed = results.pack(played)
    with transaction.atomic():
        ended = {"lease_until": None, "finished_at": now(), "reason": NO_REASON}
        counts = bool(move_all(_held(match), states.FINISH, **ended, **results.facts(played)))
        if counts:
            results.write(match, played, packed)
            usage.charge_match(match, played.used)
            effects.of(match).of_result(match, played)
    if not counts:
        log.info("match %s: the result of attempt %s came too late", match.pk, match.attempt)
    return counts


def fail(match: Match, why: str, used: Sequence[float] = ()) -> bool:
    """The platform could not play the match; False if it is no longer the caller's.

    used: the seconds of this worker by seat, where they were measured.
    """
    with transaction.atomic():
        current = _held(match).select_for_update().first()
        if current is not None:
            _give_back(current, foreign(why), used)
    return current is not None


def sweep() -> int:
    """Give back every match whose lease expired; returns how many."""
    expired = Match.objects.filter(state=State.RUNNING, lease_until__lt=now())

    @transaction.atomic
    def give_back(pk: int) -> bool:
        match = expired.select_for_update(skip_locked=True).filter(pk=pk).first()
        if match is not None:
            _give_back(match, reason(WORKER_LOST, worker=match.worker))
        return match is not None

    return for_each_isolated(list(expired.values_list("pk", flat=True)), give_back)


def _held(match: Match) -> QuerySet[Match]:
    return Match.objects.filter(pk=match.pk, attempt=match.attempt, state=State.RUNNING)


def _give_back(match: Match, why: StoredReason, used: Sequence[float] = ()) -> None:
    usage.charge_match(match, used)
    transition = _again(match) if match.attempt < ATTEMPTS else states.GIVE_UP
    log.warning("match %s, attempt %s: %s; now %s", match.pk, match.attempt, why, transition.target)
    if transition is states.WITHDRAW:
        match.move(transition, lease_until=None, reason=BOT_LEFT, finished_at=now())
        effects.of(match).of_withdrawal(match)
    elif transition is states.GIVE_UP:
        match.move(transition, lease_until=None, reason=why, finished_at=now())
        effects.of(match).of_void(match, str(why))
    else:  # no notice: the sweeper's, a little later, gives what failed time to recover
        match.move(transition, lease_until=None, reason=why, seed=_next_seed(match))


def _next_seed(match: Match) -> int:
    """The seed of the next attempt: a bot may remember, by hidden channels, what it saw in this one."""
    tournament = match.tournament
    if match.kind == Match.Kind.RERUN:
        tournament = match.rerun.rerun.tournament
    if tournament is None:
        return secret_seeds.draw()
    digests = list(match.seats.order_by("number").values_list("submission__digest", flat=True))
    return tournament.seeds.again(match.seed, match.index, digests, match.attempt + 1)


def _again(match: Match) -> Transition:
    """The transition of a match that was not played to its end."""
    if effects.of(match).is_unwanted(match):
        return states.WITHDRAW
    return states.HOLD_AGAIN if _is_paused(match) else states.REQUEUE


def _is_paused(match: Match) -> bool:
    """Whether its tournament is paused; the sweeper corrects a match for which that changes just now."""
    return match.tournament is not None and match.tournament.state == match.tournament.State.PAUSED
