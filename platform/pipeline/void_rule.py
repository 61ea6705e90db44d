"""Counts void matches and applies the rule of contest.voids: a bot that makes its matches void is stopped.

A match is void if the platform failed at every attempt; withdrawn matches are not void. The rule is applied
after every void match. If that was a rated match, the ladder also plays one without the bot that has the most
void matches, if there are enough others: the rule compares matches with a bot and without it.
"""

import logging
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from bots import reasons
from bots.models import Bot, Submission
from bots.states import BotState
from competitions.models import Competition
from contest import voids
from contest.voids import MatchOutcome
from leaderboards import ladder
from matches.models import Match, Seat
from matches.states import State
from pipeline import leaving_play
from pipeline.leaving_play import NotNow

LATEST = 1000  # matches of a competition that the rule considers
AT_ONCE = 5  # most bots to stop after one void match

log = logging.getLogger(__name__)


def counted(submissions: QuerySet[Submission]) -> QuerySet[Any]:
    """Annotate these submissions with `voids`, the number of their void matches."""
    return submissions.annotate(voids=_voids("submission"))


def counted_of_bots(bots: QuerySet[Bot]) -> QuerySet[Any]:
    """Annotate these bots with `voids`, the number of void matches of all their versions."""
    return bots.annotate(voids=_voids("submission__bot"))


def _voids(of: str) -> Coalesce:
    """A subquery rather than a join: it counts for the rows of one page only, not for the whole site."""
    void = Seat.objects.filter(**{of: OuterRef("pk")}, match__state=State.VOID).order_by().values(of)
    return Coalesce(Subquery(void.annotate(count=Count("match", distinct=True)).values("count")), 0)


def of_competition(competition: Competition, void: Match) -> None:
    """Apply the rule after a void match of the competition was stored."""
    for _ in range(AT_ONCE):
        blame = voids.find_culprit(*_evidence(competition))
        if blame is None:
            break
        try:
            leaving_play.stop(Bot.objects.get(pk=blame.bot), None, reasons.voids(blame))
        except NotNow:  # another worker was first
            return
        log.warning("bot %s was stopped: matches %s are void", blame.bot, blame.matches)
    if void.kind == Match.Kind.LADDER:
        ladder.play_without(competition, _bot_with_most_voids(void))


def _evidence(competition: Competition) -> tuple[list[MatchOutcome], dict[int, int | None]]:
    """The last LATEST matches in the order in which they ended, and the author of each bot in them.

    House bots have no author.
    """
    over = Match.objects.filter(competition=competition, state__in=(State.FINISHED, State.VOID))
    latest = (
        over.exclude(worker="").only("worker", "state", "started", "finished_at").order_by("-pk")[:LATEST]
    )
    matches = sorted(latest, key=lambda match: (match.finished_at, match.pk))
    bots_by_match: dict[int, list[int]] = {}
    seats = Seat.objects.filter(match__in=[match.pk for match in matches])
    for match, bot in seats.values_list("match", "submission__bot"):
        bots_by_match.setdefault(match, []).append(bot)
    bots = Bot.objects.in_bulk({bot for seated in bots_by_match.values() for bot in seated})
    authors = {each.pk: None if each.house else each.owner_id for each in bots.values()}
    return [_outcome(match, [bots[bot] for bot in bots_by_match[match.pk]]) for match in matches], authors


def _outcome(match: Match, seated: list[Bot]) -> MatchOutcome:
    return MatchOutcome(
        match=match.pk,
        host=match.worker.partition(":")[0],
        void=match.state == State.VOID,
        seconds=match.duration.total_seconds(),
        seats=frozenset(each.pk for each in seated),
        counts=not any(_is_settled(each, match) for each in seated),
    )


def _is_settled(bot: Bot, match: Match) -> bool:
    """Whether an administrator or this rule already dealt with the bot for this match."""
    return bot.state == BotState.STOPPED or (bot.cleared is not None and match.ended < bot.cleared)


def _bot_with_most_voids(void: Match) -> int:
    """The id of the bot of this match that has the most void matches."""
    seated = Bot.objects.filter(submissions__seats__match=void)
    often = counted_of_bots(Bot.objects.filter(pk__in=seated.values("pk"))).order_by("-voids", "-pk")
    bot: int = often.values_list("pk", flat=True)[0]
    return bot
