"""The effects of each kind of match when it ends, is void or is withdrawn.

Each class implements `agon.site.matches.effects.Effects` for one kind of match. `register`, which
`PipelineConfig.ready` calls, tells `matches`, so that the app knows nothing of leaderboards, tournaments,
comparisons, challenges and courses.
"""

from collections.abc import Sequence
from functools import partial

from django.db import transaction

from agon.site.bots.states import BotState
from agon.site.challenges import progress as challenges
from agon.site.challenges.models import Challenge
from agon.site.comparisons import progress
from agon.site.comparisons.models import Comparison
from agon.site.courses import assessing
from agon.site.events import observing
from agon.site.leaderboards import ladder, ratings
from agon.site.matches import effects
from agon.site.matches.models import Match, Seat
from agon.site.tournaments import scheduling, stopped
from agon.site.use_cases import qualification, void_rule
from games.core.reason import Reason


class _EffectsOfAll:
    """What follows from a match of any kind."""

    def on_failed_attempt(self, match: Match) -> None:
        """Look for a bot that breaks its matches, after the commit and so with the failure."""
        transaction.on_commit(partial(void_rule.of_competition, match.competition, match), robust=True)


class QualificationEffects(_EffectsOfAll):
    """The submission on trial becomes active or is rejected; without a result it is tried again."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        for match in matches:
            qualification.decide(match)

    def on_void(self, match: Match, why: Reason) -> None:
        qualification.postpone(match, why)

    def on_withdrawn(self, match: Match) -> None:
        qualification.restart(match.on_trial)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return _with_bot_out_of_play(matches)


class LadderEffects(_EffectsOfAll):
    """Ratings follow, and the ladder queues more matches."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        maybe_first_wins = [match for match in matches if ratings.apply(match)]
        for match in matches:
            transaction.on_commit(partial(ladder.top_up, match.competition))
        observing.matches_finished(matches, maybe_first_wins)

    def on_void(self, match: Match, why: Reason) -> None:
        """Nothing else follows."""

    def on_withdrawn(self, match: Match) -> None:
        """Nothing follows: the match counts for nothing."""

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """A match that was drawn counts whatever the owner of a bot does; a stop is not an owner's."""
        return _with_bot_in(matches, BotState.STOPPED)


class TournamentEffects(_EffectsOfAll):
    """The tournament schedules its next round, or ends."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        for tournament in {match.tournament_id for match in matches}:
            _settle(tournament)

    def on_void(self, match: Match, why: Reason) -> None:
        _settle(match.tournament_id)

    def on_withdrawn(self, match: Match) -> None:
        _settle(match.tournament_id)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """A bot that was withdrawn or deleted plays on in tournaments; one that was stopped does not."""
        return stopped.with_stopped_entrant(matches)


class ComparisonEffects(_EffectsOfAll):
    """The comparison is decided, or queues more matches."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        for comparison in {match.comparison_id for match in matches}:
            _advance(comparison)

    def on_void(self, match: Match, why: Reason) -> None:
        _advance(match.comparison_id)

    def on_withdrawn(self, match: Match) -> None:
        _advance(match.comparison_id)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """Matches with a bot that left play, and matches of comparisons that were cancelled or decided."""
        pks = [match.pk for match in matches]
        over = Match.objects.filter(pk__in=pks).exclude(comparison__state=Comparison.State.RUNNING)
        return _with_bot_out_of_play(matches) | set(over.values_list("pk", flat=True))


class ChallengeEffects(_EffectsOfAll):
    """The challenge is over when its last match is."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        for challenge in {match.challenge_id for match in matches}:
            _settle_challenge(challenge)

    def on_void(self, match: Match, why: Reason) -> None:
        _settle_challenge(match.challenge_id)

    def on_withdrawn(self, match: Match) -> None:
        _settle_challenge(match.challenge_id)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """Matches with a bot that left play, and matches of challenges that were cancelled."""
        pks = [match.pk for match in matches]
        over = Match.objects.filter(pk__in=pks).exclude(challenge__state=Challenge.State.RUNNING)
        return _with_bot_out_of_play(matches) | set(over.values_list("pk", flat=True))


class AssessmentEffects(_EffectsOfAll):
    """The assessment is decided, or queues more matches."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        for assessment in {match.assessment_id for match in matches}:
            _advance_assessment(assessment)

    def on_void(self, match: Match, why: Reason) -> None:
        _advance_assessment(match.assessment_id)

    def on_withdrawn(self, match: Match) -> None:
        _advance_assessment(match.assessment_id)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """It counts whatever the owner of a bot does; a stop is not an owner's."""
        return _with_bot_in(matches, BotState.STOPPED)


class RerunEffects(_EffectsOfAll):
    """Nothing follows from a re-run match until an organizer applies the re-run."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        pass

    def on_void(self, match: Match, why: Reason) -> None:
        """Nothing else follows."""

    def on_withdrawn(self, match: Match) -> None:
        pass

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return set()


def register() -> None:
    """Tell agon.site.matches.effects what follows from each kind of match."""
    effects.register(Match.Kind.RERUN, RerunEffects())
    effects.register(Match.Kind.COMPARISON, ComparisonEffects())
    effects.register(Match.Kind.CHALLENGE, ChallengeEffects())
    effects.register(Match.Kind.ASSESSMENT, AssessmentEffects())
    effects.register(Match.Kind.QUALIFICATION, QualificationEffects())
    effects.register(Match.Kind.LADDER, LadderEffects())
    effects.register(Match.Kind.TOURNAMENT, TournamentEffects())


def _with_bot_out_of_play(matches: Sequence[Match]) -> set[int]:
    return _with_bot_in(matches, *(set(BotState) - {BotState.ENTERED}))


def _with_bot_in(matches: Sequence[Match], *states: BotState) -> set[int]:
    seats = Seat.objects.filter(match__in=[match.pk for match in matches])
    return set(seats.filter(submission__bot__state__in=states).values_list("match", flat=True))


def _settle(tournament: int | None) -> None:
    """Settle the tournament after the commit: if two matches end at once, the one that commits last must see
    the other.
    """
    assert tournament is not None
    transaction.on_commit(partial(scheduling.settle, tournament))


def _advance(comparison: int | None) -> None:
    """Advance the comparison after the commit, for the same reason as in `_settle`."""
    assert comparison is not None
    transaction.on_commit(partial(progress.advance, comparison), robust=True)


def _settle_challenge(challenge: int | None) -> None:
    """Settle the challenge after the commit, for the same reason as in `_settle`."""
    assert challenge is not None
    transaction.on_commit(partial(challenges.settle, challenge), robust=True)


def _advance_assessment(assessment: int | None) -> None:
    """Advance the assessment after the commit, for the same reason as in `_settle`."""
    assert assessment is not None
    transaction.on_commit(partial(assessing.advance, assessment), robust=True)
