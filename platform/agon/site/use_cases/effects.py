"""The effects of each kind of match when it ends, is void or is withdrawn.

Each class implements `agon.site.matches.effects.Effects` for one kind of match. `register`, which
`PipelineConfig.ready` calls, registers with `matches`, so that the app knows nothing of leaderboards,
tournaments, comparisons, challenges and courses.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from django.db import transaction
from django.db.models import QuerySet

from agon.site.bots.states import BotState
from agon.site.challenges import progress as challenges
from agon.site.comparisons import progress
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
        return _with_stopped_bot(matches)


class _PartEffects(_EffectsOfAll, ABC):
    """What the match is a part of goes on, or ends: see each of its kinds.

    That is after the commit: if two matches end at once, the one that commits last must see the other.
    """

    whole: ClassVar[str]  # the field of the match that names it
    robust: ClassVar[bool] = True  # whether an error in it is logged, and no error of who ends the match

    @abstractmethod
    def go_on(self, whole: int) -> None:
        """whole: its id."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        for whole in {getattr(match, f"{self.whole}_id") for match in matches}:
            transaction.on_commit(partial(self.go_on, whole), robust=self.robust)

    def on_void(self, match: Match, why: Reason) -> None:
        self.on_finished([match])

    def on_withdrawn(self, match: Match) -> None:
        self.on_finished([match])

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """Matches with a bot that left play, and matches of what was cancelled or decided."""
        over = Match.objects.filter(pk__in=[match.pk for match in matches])
        over = over.exclude(**{f"{self.whole}__state": "running"})
        return _with_bot_out_of_play(matches) | set(over.values_list("pk", flat=True))


class TournamentEffects(_PartEffects):
    """The tournament schedules its next round, or ends."""

    whole = "tournament"
    robust = False

    def go_on(self, whole: int) -> None:
        scheduling.settle(whole)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """A bot that was withdrawn or deleted plays on in tournaments; one that was stopped does not."""
        return stopped.with_stopped_entrant(matches)


class ComparisonEffects(_PartEffects):
    """The comparison is decided, or queues more matches."""

    whole = "comparison"

    def go_on(self, whole: int) -> None:
        progress.advance(whole)


class ChallengeEffects(_PartEffects):
    """The challenge is over when its last match is."""

    whole = "challenge"

    def go_on(self, whole: int) -> None:
        challenges.settle(whole)


class AssessmentEffects(_PartEffects):
    """The assessment is decided, or queues more matches."""

    whole = "assessment"

    def go_on(self, whole: int) -> None:
        assessing.advance(whole)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """It counts whatever the owner of a bot does; a stop is not an owner's."""
        return _with_stopped_bot(matches)


class RerunEffects(_EffectsOfAll):
    """Nothing follows from a re-run match until an organizer applies the re-run."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        pass

    def on_void(self, match: Match, why: Reason) -> None:
        """Nothing else follows."""

    def on_withdrawn(self, match: Match) -> None:
        pass

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return _with_stopped_bot(matches)


def register() -> None:
    """Register with agon.site.matches.effects what follows from each kind of match."""
    effects.register(Match.Kind.RERUN, RerunEffects())
    effects.register(Match.Kind.COMPARISON, ComparisonEffects())
    effects.register(Match.Kind.CHALLENGE, ChallengeEffects())
    effects.register(Match.Kind.ASSESSMENT, AssessmentEffects())
    effects.register(Match.Kind.QUALIFICATION, QualificationEffects())
    effects.register(Match.Kind.LADDER, LadderEffects())
    effects.register(Match.Kind.TOURNAMENT, TournamentEffects())


def _with_bot_out_of_play(matches: Sequence[Match]) -> set[int]:
    seats = _seats_of(matches).exclude(submission__bot__state=BotState.ENTERED)
    return set(seats.values_list("match", flat=True))


def _with_stopped_bot(matches: Sequence[Match]) -> set[int]:
    return {seat.match_id for seat in _seats_of(matches) if seat.submission.bot.is_stopped}


def _seats_of(matches: Sequence[Match]) -> QuerySet[Seat]:
    seats = Seat.objects.filter(match__in=[match.pk for match in matches])
    return seats.select_related("submission__bot")
