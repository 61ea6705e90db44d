"""What follows from qualification, ladder and tournament matches. Registered in matches.effects."""

from collections.abc import Sequence
from functools import partial

from django.db import transaction

from bots.states import BotState
from comparisons import progress
from comparisons.models import Comparison
from leaderboards import ladder, ratings
from matches import effects
from matches.models import Match, Seat
from pipeline import qualification, void_rule
from tournaments import scheduling, stopped


class QualificationEffects:
    def of_results(self, matches: Sequence[Match]) -> None:
        for match in matches:
            qualification.decide(match)

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)
        qualification.postpone(match, why)

    def of_withdrawal(self, match: Match) -> None:
        qualification.start_anew(match.on_trial)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return _with_bot_out_of_play(matches)


class LadderEffects:
    def of_results(self, matches: Sequence[Match]) -> None:
        for match in matches:
            ratings.apply(match)
            transaction.on_commit(partial(ladder.top_up, match.competition))

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)

    def of_withdrawal(self, match: Match) -> None:
        """Nothing follows: the match counts for nothing."""

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return _with_bot_out_of_play(matches)


class TournamentEffects:
    def of_results(self, matches: Sequence[Match]) -> None:
        for tournament in {match.tournament_id for match in matches}:
            _settle(tournament)

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)
        _settle(match.tournament_id)

    def of_withdrawal(self, match: Match) -> None:
        _settle(match.tournament_id)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """A bot that was withdrawn or deleted plays on in tournaments; one that was stopped does not."""
        return stopped.among(matches)


class ComparisonEffects:
    def of_results(self, matches: Sequence[Match]) -> None:
        for comparison in {match.comparison_id for match in matches}:
            _compare_on(comparison)

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)
        _compare_on(match.comparison_id)

    def of_withdrawal(self, match: Match) -> None:
        _compare_on(match.comparison_id)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """One of its bots left play, or it was cancelled."""
        pks = [match.pk for match in matches]
        over = Match.objects.filter(pk__in=pks).exclude(comparison__state=Comparison.State.RUNNING)
        return _with_bot_out_of_play(matches) | set(over.values_list("pk", flat=True))


class RerunEffects:
    """Nothing follows from a match that is run again before an organizer applies it."""

    def of_results(self, matches: Sequence[Match]) -> None:
        pass

    def of_void(self, match: Match, why: str) -> None:
        _apply_void_rule(match)

    def of_withdrawal(self, match: Match) -> None:
        pass

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return set()


def register() -> None:
    effects.register(Match.Kind.RERUN, RerunEffects())
    effects.register(Match.Kind.COMPARISON, ComparisonEffects())
    effects.register(Match.Kind.QUALIFICATION, QualificationEffects())
    effects.register(Match.Kind.LADDER, LadderEffects())
    effects.register(Match.Kind.TOURNAMENT, TournamentEffects())


def _apply_void_rule(match: Match) -> None:
    transaction.on_commit(partial(void_rule.of_competition, match.competition, match), robust=True)


def _with_bot_out_of_play(matches: Sequence[Match]) -> set[int]:
    seats = Seat.objects.filter(match__in=[match.pk for match in matches])
    return set(seats.exclude(submission__bot__state=BotState.ENTERED).values_list("match", flat=True))


def _settle(tournament: int | None) -> None:
    """After the commit: of two matches that end at once, the later one to commit must see the other."""
    assert tournament is not None
    transaction.on_commit(partial(scheduling.settle, tournament))


def _compare_on(comparison: int | None) -> None:
    """After the commit, as with tournaments: one of two matches that end at once must see the other."""
    assert comparison is not None
    transaction.on_commit(partial(progress.advance, comparison), robust=True)
