"""Plays the matches of a contest in order, round by round if the format needs results.

`Rounds.matches` yields every scheduled match. The next round follows from `results`, so the caller has to add
the result of each match to `results` before it asks for the next match.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agon.cli.workers import Void
from agon.contest import formats
from agon.contest.archive.manifest import Header
from agon.contest.archive.writer import disqualifying
from agon.contest.arena import Played
from agon.contest.formats import History, Plan, ScheduledMatch
from agon.contest.points import Result
from agon.contest.standings import history_of

Play = Callable[[Sequence[ScheduledMatch], Sequence[int]], Iterable[tuple[ScheduledMatch, Played | Void]]]


@dataclass
class Rounds:
    """The schedule of a contest as it unfolds.

    fixed: the whole schedule, or () if the format needs results. load_saved: returns the match for a
    scheduled one and a seed if a previous run has played it, else None. scheduled: the matches so far.
    results: by index.
    """

    header: Header
    fixed: Sequence[ScheduledMatch]
    load_saved: Callable[[ScheduledMatch, int], Played | None] = lambda scheduled, seed: None
    scheduled: list[ScheduledMatch] = field(default_factory=list)
    results: dict[int, Result] = field(default_factory=dict)

    def matches(self, play: Play) -> Iterator[tuple[ScheduledMatch, Played | Void | None]]:
        """Every scheduled match; None instead of a match that is not played because the run was interrupted.

        play: plays matches from the seeds given, and yields them in order. Raises SandboxFailed.
        """
        while batch := self._next():
            self.scheduled += batch
            stopped = False
            seeds = list(self.header.seeds.of_schedule(batch))
            saved = [self.load_saved(*pair) is not None for pair in zip(batch, seeds, strict=True)]
            fresh = [place for place, is_saved in enumerate(saved) if not is_saved]
            matches = iter(play([batch[place] for place in fresh], [seeds[place] for place in fresh]))
            for scheduled, seed, is_saved in zip(batch, seeds, saved, strict=True):
                if is_saved:  # read again: all saved matches together may not fit into memory
                    yield scheduled, self.load_saved(scheduled, seed)
                    continue
                _scheduled, match = next(matches, (scheduled, None))
                stopped = stopped or match is None
                yield scheduled, match
            if stopped:
                return

    def history(self, plan: Plan) -> History:
        """All rounds that were scheduled, with their outcomes."""
        out = disqualifying(self.header.game)
        return history_of(plan, self.results, len(self.scheduled), out)[1]

    def _next(self) -> Sequence[ScheduledMatch]:
        if self.fixed:
            return [] if self.scheduled else self.fixed
        plan = self.header.plan
        assert plan is not None
        return formats.next_round(plan, self.history(plan), len(self.scheduled)) or []
