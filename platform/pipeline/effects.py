"""What follows from qualification, ladder and tournament matches. Registered in matches.effects."""

from functools import partial

from django.db import transaction

from bots.states import BotState
from contest.arena import Played
from leaderboards import ladder, ratings
from matches import effects
from matches.models import Match
from pipeline import qualification, void_rule
from tournaments import scheduling, stopped


class QualificationEffects:
    def of_result(self, match: Match, played: Played) -> None:
        qualification.decide(match)

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)
        qualification.postpone(match, why)

    def of_withdrawal(self, match: Match) -> None:
        qualification.start_anew(match.on_trial)

    def is_unwanted(self, match: Match) -> bool:
        return _has_bot_out_of_play(match)


class LadderEffects:
    def of_result(self, match: Match, played: Played) -> None:
        ratings.apply(match)
        transaction.on_commit(partial(ladder.top_up, match.competition))

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)

    def of_withdrawal(self, match: Match) -> None:
        """Nothing follows: the match counts for nothing."""

    def is_unwanted(self, match: Match) -> bool:
        return _has_bot_out_of_play(match)


class TournamentEffects:
    def of_result(self, match: Match, played: Played) -> None:
        _settle(match)

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)
        _settle(match)

    def of_withdrawal(self, match: Match) -> None:
        _settle(match)

    def is_unwanted(self, match: Match) -> bool:
        """A bot that was withdrawn or deleted plays on in tournaments; one that was stopped does not."""
        return stopped.is_of_stopped(match)


class RerunEffects:
    """Nothing follows from a match that is run again before an organizer applies it."""

    def of_result(self, match: Match, played: Played) -> None:
        pass

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)

    def of_withdrawal(self, match: Match) -> None:
        pass

    def is_unwanted(self, match: Match) -> bool:
        return False


def register() -> None:
    effects.register(Match.Kind.RERUN, RerunEffects())
    effects.register(Match.Kind.QUALIFICATION, QualificationEffects())
    effects.register(Match.Kind.LADDER, LadderEffects())
    effects.register(Match.Kind.TOURNAMENT, TournamentEffects())


def _apply_void_rule(match: Match) -> None:
    transaction.on_commit(partial(void_rule.of_competition, match.competition, match), robust=True)


def _has_bot_out_of_play(match: Match) -> bool:
    return match.seats.exclude(submission__bot__state=BotState.ENTERED).exists()


def _settle(match: Match) -> None:
    """After the commit: of two matches that end at once, the later one to commit must see the other."""
    assert match.tournament_id is not None
    transaction.on_commit(partial(scheduling.settle, match.tournament_id))
