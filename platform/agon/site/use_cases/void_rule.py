"""Counts void matches and applies the rule of agon.statistics.voids: a bot that breaks its matches is
stopped.

A match is void if the platform failed at every attempt; withdrawn matches are not void. The rule counts every
failed attempt, and is applied after each. After the first one at a rated match the ladder also plays a match
without the bot in it that has the most failures, if there are enough others: the rule compares matches with a
bot and without it.
"""

import logging
from collections import Counter
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from agon.contest.attempts import FailureKind
from agon.site.bots import reasons
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.leaderboards import ladder
from agon.site.matches.models import FailedAttempt, Match, Seat
from agon.site.matches.states import State
from agon.site.teams.queries import groups
from agon.site.use_cases import leaving_play
from agon.site.use_cases.leaving_play import ActionNotAllowed
from agon.statistics import voids
from agon.statistics.voids import AttemptOutcome

LATEST_MATCHES = 1000  # matches of a competition that the rule considers, and failed attempts
AT_ONCE = 5  # most bots to stop after one failed attempt

log = logging.getLogger(__name__)


class _Attempt(NamedTuple):
    match: int
    worker: str
    started: datetime
    ended: datetime
    failed: bool


def counted(submissions: QuerySet[Submission]) -> QuerySet[Any]:
    """Annotate these submissions with `voids`, the number of their void matches."""
    return submissions.annotate(voids=_voids("submission"))


def counted_of_bots(bots: QuerySet[Bot]) -> QuerySet[Any]:
    """Annotate these bots with `voids`, the number of void matches of all their versions."""
    return bots.annotate(voids=_voids("submission__bot"))


def _voids(field: str) -> Coalesce:
    """A subquery rather than a join: it counts for the rows of one page only, not for the whole site."""
    void = Seat.objects.filter(**{field: OuterRef("pk")}, match__state=State.VOID).order_by().values(field)
    return Coalesce(Subquery(void.annotate(count=Count("match", distinct=True)).values("count")), 0)


def of_competition(competition: Competition, match: Match) -> None:
    """Apply the rule after an attempt at a match of the competition failed."""
    for _ in range(AT_ONCE):
        blame = voids.find_culprit(*_evidence(competition))
        if blame is None:
            break
        try:
            leaving_play.stop(Bot.objects.get(pk=blame.bot), None, reasons.voids(blame))
        except ActionNotAllowed:  # another worker was first
            return
        log.warning("bot %s was stopped: failures began with matches %s", blame.bot, blame.matches)
    if match.kind == Match.Kind.LADDER and match.failed_attempts.count() == 1:
        ladder.play_without(competition, _bot_with_most_failures(match))


def _evidence(competition: Competition) -> tuple[list[AttemptOutcome], dict[int, int | None]]:
    """The latest attempts in the order in which they ended, and the author of each bot in them.

    House bots have no author.
    """
    attempts = sorted(
        [*_failed(competition), *_ended(competition)], key=lambda ending: (ending.ended, ending.match)
    )
    bots_by_match: dict[int, list[int]] = {attempt.match: [] for attempt in attempts}
    seats = Seat.objects.filter(match__in=bots_by_match)
    for match, bot in seats.values_list("match", "submission__bot"):
        bots_by_match[match].append(bot)
    bots = Bot.objects.in_bulk({bot for seated in bots_by_match.values() for bot in seated})
    one_of = groups({member.owner_id for member in bots.values()})
    authors = {member.pk: None if member.house else one_of[member.owner_id] for member in bots.values()}
    outcomes = [
        _outcome(attempt, [bots[bot] for bot in bots_by_match[attempt.match]]) for attempt in attempts
    ]
    return outcomes, authors


def _failed(competition: Competition) -> list[_Attempt]:
    """The failed attempts, whatever became of their matches. No bot can lose its built program."""
    rows = FailedAttempt.objects.filter(match__competition=competition).order_by("-pk")
    rows = rows.exclude(kind=FailureKind.ARTIFACT).exclude(match__queue=Match.Queue.HOME)
    fields = ("match", "worker", "started", "ended")
    return [
        _Attempt(match, worker, started, ended, failed=True)
        for match, worker, started, ended in rows.values_list(*fields)[:LATEST_MATCHES]
    ]


def _ended(competition: Competition) -> list[_Attempt]:
    """The matches that were played to their ends."""
    finished = Match.objects.filter(competition=competition, state=State.FINISHED).exclude(worker="")
    finished = finished.exclude(queue=Match.Queue.HOME)  # it lasts as long as a person at home takes
    rows = finished.order_by("-pk").values_list("pk", "worker", "started", "finished_at")[:LATEST_MATCHES]
    return [
        _Attempt(match, worker, started or ended, ended, failed=False)
        for match, worker, started, ended in rows
        if ended is not None
    ]


def _outcome(attempt: _Attempt, seated: list[Bot]) -> AttemptOutcome:
    return AttemptOutcome(
        match=attempt.match,
        host=attempt.worker.partition(":")[0],
        failed=attempt.failed,
        seconds=(attempt.ended - attempt.started).total_seconds(),
        seats=frozenset(bot.pk for bot in seated),
        counts=not any(_is_settled(bot, attempt.ended) for bot in seated),
    )


def _is_settled(bot: Bot, ended: datetime) -> bool:
    """Whether an administrator or this rule already dealt with the bot for an attempt that ended then."""
    return bot.state == BotState.STOPPED or (bot.cleared is not None and ended < bot.cleared)


def _bot_with_most_failures(failed: Match) -> int:
    """The id of the bot of this match in whose matches the most attempts failed; of several, the newest."""
    seated: set[int] = set(failed.seats.values_list("submission__bot", flat=True))
    attempts = FailedAttempt.objects.filter(match__seats__submission__bot__in=seated)
    counts = Counter(attempts.values_list("match__seats__submission__bot", flat=True))
    return max(seated, key=lambda bot: (counts[bot], bot))
