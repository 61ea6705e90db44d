"""The effects of each kind of match when it ends, is void or is withdrawn.

EFFECTS has those of each kind. `register`, which `UseCasesConfig.ready` calls, registers them with `matches`,
so that the app knows nothing of leaderboards, tournaments, comparisons, challenges and courses.
"""

from collections.abc import Callable, Sequence
from functools import partial

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


class EffectsOfAll(effects.Effects):
    """What follows from a match of any kind. It counts whatever the owner of a bot does; a stop is not an
    owner's.
    """

    def on_failed_attempt(self, match: Match) -> None:
        """Look for a bot that breaks its matches, after the commit and so with the failure."""
        transaction.on_commit(partial(void_rule.of_competition, match.competition, match), robust=True)

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        return {seat.match_id for seat in _seats_of(matches) if seat.submission.bot.is_stopped}


class QualificationEffects(EffectsOfAll):
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


class LadderEffects(EffectsOfAll):
    """Ratings follow, and the ladder queues more matches."""

    def on_finished(self, matches: Sequence[Match]) -> None:
        maybe_first_wins = [match for match in matches if ratings.apply(match)]
        for match in matches:
            transaction.on_commit(partial(ladder.top_up, match.competition))
        observing.matches_finished(matches, maybe_first_wins)


class PartEffects(EffectsOfAll):
    """What the match is a part of goes on, or ends.

    That is after the commit: if two matches end at once, the one that commits last must see the other.
    """

    def __init__(self, whole: str, go_on: Callable[[int], object], *, robust: bool = True) -> None:
        """whole: the field of the match that names it. go_on: is called with its id. robust: whether an error
        in that is logged, and no error of who ends the match.
        """
        self._whole, self._go_on, self._robust = whole, go_on, robust

    def on_finished(self, matches: Sequence[Match]) -> None:
        for whole in {getattr(match, f"{self._whole}_id") for match in matches}:
            transaction.on_commit(partial(self._go_on, whole), robust=self._robust)

    def on_void(self, match: Match, why: Reason) -> None:
        self.on_finished([match])

    def on_withdrawn(self, match: Match) -> None:
        self.on_finished([match])


class OnDemandEffects(PartEffects):
    """Of comparisons and challenges, which their owners can cancel."""

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """Matches with a bot that left play, and matches of what was cancelled or decided."""
        over = Match.objects.filter(pk__in=[match.pk for match in matches])
        over = over.exclude(**{f"{self._whole}__state": "running"})
        return _with_bot_out_of_play(matches) | set(over.values_list("pk", flat=True))


class TournamentEffects(PartEffects):
    """The tournament schedules its next round, or ends."""

    def unwanted(self, matches: Sequence[Match]) -> set[int]:
        """A bot that was withdrawn or deleted plays on in tournaments; one that was stopped does not."""
        return stopped.with_stopped_entrant(matches)


EFFECTS = {
    Match.Kind.QUALIFICATION: QualificationEffects(),
    Match.Kind.LADDER: LadderEffects(),
    Match.Kind.TOURNAMENT: TournamentEffects("tournament", scheduling.settle, robust=False),
    Match.Kind.COMPARISON: OnDemandEffects("comparison", progress.advance),
    Match.Kind.CHALLENGE: OnDemandEffects("challenge", challenges.settle),
    Match.Kind.ASSESSMENT: PartEffects("assessment", assessing.advance),
    Match.Kind.RERUN: EffectsOfAll(),  # nothing follows until an organizer applies the re-run
}


def register() -> None:
    """Register with agon.site.matches.effects what follows from each kind of match."""
    for kind, of_kind in EFFECTS.items():
        effects.register(kind, of_kind)


def _with_bot_out_of_play(matches: Sequence[Match]) -> set[int]:
    seats = _seats_of(matches).exclude(submission__bot__state=BotState.ENTERED)
    return set(seats.values_list("match", flat=True))


def _seats_of(matches: Sequence[Match]) -> QuerySet[Seat]:
    seats = Seat.objects.filter(match__in=[match.pk for match in matches])
    return seats.select_related("submission__bot")
