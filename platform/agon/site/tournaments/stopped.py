"""Disqualifies a bot that is stopped while its tournament runs, and takes entrants out for other reasons.

As with a fault that disqualifies (agon.contest.standings), the entrant is listed last with the reason, and
none of its matches count, not even those already played, unless later pairings followed from them. A bot thus
gains nothing by making matches void. Its remaining matches are withdrawn. If the bot is released while the
tournament still runs, all this is undone, except that it stays out of rounds that were already scheduled from
results. Both are in the tournament's log. What an organizer decided about the entrant stays as it is.

A bot that is stopped after the end keeps its place, unless the tournament is reopened: then it is
disqualified. An organizer may disqualify it (agon.site.tournaments.running).
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef

from agon.contest.text import escape_controls
from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.core.db.transitions import move_all
from agon.site.core.queue.notify import notify_on_commit
from agon.site.core.texts.reasons import in_english
from agon.site.matches import states
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State as MatchState
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.scheduling import (
    matches_of_stopped,
    rounds_scheduled,
    schedule,
    settle,
    withdraw_stopped,
)
from agon.site.tournaments.services import lock_bots, record
from agon.site.tournaments.states import State
from games.core.reason import NO_REASON

GOING_ON = (State.RUNNING, State.PAUSED)


@transaction.atomic
def disqualify(bot: Bot, reason: str, by: User | None = None) -> None:
    """Disqualify a stopped bot in all running tournaments, unless it is out already.

    reason: in English, for the standings. by: None for the site itself.
    """
    for tournament in _locked(bot):
        entrant = tournament.entrants.get(bot=bot)
        if not entrant.stopped:
            leave(tournament, entrant, reason or "stopped", Entrant.Left.STOPPED)
        record(Verb.STOP, tournament, by, reason, entrant.name)


def disqualify_in_reopened(tournament: Tournament) -> None:
    """Disqualify the bots that were stopped after the end of a tournament.

    The caller has locked it, and reopened it in this transaction.
    """
    lock_bots(tournament)  # one that is stopped at this moment finds the tournament running, or is seen here
    for entrant in tournament.entrants.filter(stopped="").select_related("bot"):
        if entrant.bot.reason:
            reason = in_english(entrant.bot.reason)
            leave(tournament, entrant, reason, Entrant.Left.STOPPED)
            record(Verb.STOP, tournament, None, reason, entrant.name)


@transaction.atomic
def readmit(bot: Bot, reason: str = "", by: User | None = None) -> None:
    """Readmit a released bot to the tournaments that still run, where it was out because it was stopped."""
    for tournament in _locked(bot):
        entrant = tournament.entrants.get(bot=bot)
        if entrant.left == Entrant.Left.STOPPED:
            return_to(tournament, entrant)
        record(Verb.LET_PLAY, tournament, by, reason, entrant.name)


def leave(
    tournament: Tournament, entrant: Entrant, reason: str, how: Entrant.Left = Entrant.Left.DISQUALIFIED
) -> None:
    """Take an entrant out of a tournament that the caller has locked: it gets no matches in later rounds.

    reason: for the standings, in whose file a lone carriage return would end the line. how: withdrawn by its
    owner or an organizer, or disqualified.
    """
    entrant.stopped, entrant.left = escape_controls(reason), how
    if not entrant.absences or entrant.absences[-1][1] is not None:
        entrant.absences = [*entrant.absences, [rounds_scheduled(tournament), None]]
    entrant.save(update_fields=["stopped", "left", "absences"])
    withdraw_stopped(tournament)
    _reschedule(tournament)


def missed_something(tournament: Tournament, entrant: Entrant) -> bool:
    """Whether an entrant that is out was absent from a round, or has a match that it alone prevented."""
    if entrant.absences[-1][0] < rounds_scheduled(tournament):
        return True
    others_out = tournament.entrants.exclude(stopped="").exclude(pk=entrant.pk).values("submission")
    withdrawn = Seat.objects.filter(match__tournament=tournament, match__state=MatchState.WITHDRAWN)
    of_others = withdrawn.filter(submission__in=others_out).values("match")
    return withdrawn.filter(submission=entrant.submission).exclude(match__in=of_others).exists()


def return_to(tournament: Tournament, entrant: Entrant) -> None:
    """Readmit an entrant to a tournament that the caller has locked.

    Its withdrawn matches are queued again. If the format needs results, only those of the last round are:
    the pairings of later rounds followed from the others. The seeds of those from before the tournament was
    reopened may be public.
    """
    entrant.stopped, entrant.left = "", ""
    rounds = rounds_scheduled(tournament)
    if entrant.absences and entrant.absences[-1][1] is None:
        [*before, [since, _until]] = entrant.absences
        entrant.absences = before if since == rounds else [*before, [since, rounds]]
    entrant.save(update_fields=["stopped", "left", "absences"])
    still_out = matches_of_stopped(tournament)
    to_restore = tournament.matches.filter(state=MatchState.WITHDRAWN).exclude(pk__in=still_out)
    if tournament.chosen_format.needs_results:
        to_restore = to_restore.filter(round=rounds - 1, index__gte=tournament.reopened_at)
    restore = states.RESTORE_HELD if tournament.state == State.PAUSED else states.RESTORE
    count = move_all(to_restore, restore, reason=NO_REASON, finished_at=None)
    notify_on_commit(Match.Queue.BULK, count)
    _reschedule(tournament)


def with_stopped_entrant(matches: Sequence[Match]) -> set[int]:
    """The ids of those matches of tournaments that have a stopped entrant in a seat."""
    entrants = Entrant.objects.filter(
        tournament=OuterRef("match__tournament"), submission=OuterRef("submission")
    )
    seats = Seat.objects.filter(match__in=[match.pk for match in matches])
    return set(seats.filter(Exists(entrants.exclude(stopped=""))).values_list("match", flat=True))


def _locked(bot: Bot) -> list[Tournament]:
    running = Tournament.objects.filter(state__in=GOING_ON, entrants__bot=bot).order_by("pk")
    return list(running.select_for_update(of=("self",), no_key=True))


def _reschedule(tournament: Tournament) -> None:
    transaction.on_commit(lambda: settle(tournament.pk))
    transaction.on_commit(lambda: schedule(tournament))
