"""A bot that is stopped while its tournament runs is put out of it.

It is as with a fault that disqualifies (contest.standings): all its matches, also those already played, count
for nobody, and it is listed last with the reason. So nothing is gained by matches that went void. What it had
still to play is withdrawn. If it is let play again while the tournament still runs, all this is undone.
"""

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from bots.models import Bot
from matches import queueing
from matches.models import Match, Seat
from matches.states import State as MatchState
from matches.states import move_all
from tournaments.models import Entrant, Tournament
from tournaments.standings import cache_key
from tournaments.states import State

WHY = gettext_noop("One of its bots was stopped.")
GOING_ON = (State.RUNNING, State.PAUSED)


@transaction.atomic
def put_out(bot: Bot, reason: str) -> None:
    """Take a stopped bot out of the tournaments that run."""
    for tournament in _locked(bot):
        tournament.entrants.filter(bot=bot).update(stopped=reason or "stopped")
        withdraw(tournament)
        _look_again(tournament)


@transaction.atomic
def take_back(bot: Bot) -> None:
    """Let it play on in those that run still."""
    for tournament in _locked(bot):
        tournament.entrants.filter(bot=bot).update(stopped="")
        again = tournament.matches.filter(state=MatchState.WITHDRAWN).exclude(pk__in=_of_stopped(tournament))
        wanted = MatchState.HELD if tournament.state == State.PAUSED else MatchState.QUEUED
        count = move_all(again, MatchState.WITHDRAWN, wanted, reason="", finished_at=None)
        queueing.hint(Match.Queue.BULK, count)
        _look_again(tournament)


def withdraw(tournament: Tournament) -> int:
    """Withdraw what stopped entrants have still to play; how many matches. Within a transaction."""
    if not tournament.entrants.exclude(stopped="").exists():
        return 0
    matches = tournament.matches.filter(pk__in=_of_stopped(tournament))
    return sum(
        move_all(matches, state, MatchState.WITHDRAWN, reason=WHY, finished_at=timezone.now())
        for state in (MatchState.QUEUED, MatchState.HELD)
    )


def is_of_stopped(match: Match) -> bool:
    """Whether a tournament's match has a stopped entrant in a seat."""
    return _of_stopped(match.tournament).filter(match=match).exists()


def _of_stopped(tournament: Tournament):
    out = Entrant.objects.filter(tournament=tournament).exclude(stopped="").values("submission")
    return Seat.objects.filter(match__tournament=tournament, submission__in=out).values("match")


def _locked(bot: Bot) -> list[Tournament]:
    running = Tournament.objects.filter(state__in=GOING_ON, entrants__bot=bot).order_by("pk")
    return list(running.select_for_update(of=("self",)))


def _look_again(tournament: Tournament) -> None:
    from tournaments import services

    cache.delete(cache_key(tournament))
    transaction.on_commit(lambda: services.settle(tournament.pk))
    transaction.on_commit(lambda: services.schedule(tournament))
