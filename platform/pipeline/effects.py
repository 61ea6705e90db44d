"""What follows from a match, by its kind. Called inside the transaction that changes the match's state."""

from functools import partial

from django.db import transaction
from django.utils.translation import gettext_noop

from bots.states import BotState
from contest.arena import Played
from matches.models import Match

LEFT = gettext_noop("One of its bots was withdrawn, stopped, or deleted.")  # why a match was withdrawn


def of_result(match: Match, played: Played) -> None:
    """The match was played to its end; its seats and faults are written."""
    from leaderboards import ladder, ratings
    from pipeline import qualification

    match match.kind:
        case Match.Kind.QUALIFICATION:
            qualification.decide(match)
        case Match.Kind.LADDER:
            ratings.apply(match)
            transaction.on_commit(partial(ladder.top_up, match.competition))
        case Match.Kind.TOURNAMENT:
            _settle_tournament(match)


def of_void(match: Match, why: str) -> None:
    """The platform has given the match up."""
    from pipeline import qualification, void_rule

    transaction.on_commit(partial(void_rule.of_competition, match.competition, match), robust=True)
    match match.kind:
        case Match.Kind.QUALIFICATION:
            qualification.postpone(match, why)
        case Match.Kind.TOURNAMENT:
            _settle_tournament(match)


def is_unwanted(match: Match) -> bool:
    """Whether a match that is to be played again need not be: one of its bots has left play."""
    from tournaments import stopped

    if match.kind == Match.Kind.TOURNAMENT:
        return stopped.is_of_stopped(match)
    return match.seats.exclude(submission__bot__state=BotState.ENTERED).exists()


def of_withdrawal(match: Match) -> None:
    """A match was withdrawn after a failed attempt."""
    from pipeline import qualification

    match match.kind:
        case Match.Kind.QUALIFICATION:
            qualification.start_anew(match.qualifies)
        case Match.Kind.TOURNAMENT:
            _settle_tournament(match)


def _settle_tournament(match: Match) -> None:
    """Afterwards, not now: of two matches that end at once the later to be committed must see the other."""
    from tournaments import services

    transaction.on_commit(partial(services.settle, match.tournament_id))
