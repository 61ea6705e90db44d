"""The matches of a contest in order: round by round where the format needs results, and those that were kept.

`Rounds.played` yields every match that is scheduled. A round is scheduled when the results of those before it
have been added to `results`, which the caller does with each match before it asks for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cli.workers import Void
from contest import formats
from contest.archive.manifest import Header
from contest.archive.writer import disqualifying
from contest.arena import Played
from contest.formats import History, Pairing, Plan
from contest.points import Result
from contest.standings import history_of

Play = Callable[[Sequence[Pairing], Sequence[int]], Iterable[tuple[Pairing, Played | Void]]]


@dataclass
class Rounds:
    """fixed: the whole schedule, or () where the format needs results. kept: a match that need not be played,
    from its pairing and its seed; None for others.
    """

    header: Header
    fixed: Sequence[Pairing]
    kept: Callable[[Pairing, int], Played | None] = lambda pairing, seed: None
    scheduled: list[Pairing] = field(default_factory=list)
    results: dict[int, Result] = field(default_factory=dict)

    def played(self, play: Play) -> Iterator[tuple[Pairing, Played | Void | None]]:
        """Every scheduled match; None for one that is not played any more. Raises SandboxFailed."""
        while batch := self._next():
            self.scheduled += batch
            stopped = False
            seeds = list(self.header.seeds.of_schedule(batch))
            there = [self.kept(*each) is not None for each in zip(batch, seeds, strict=True)]
            fresh = [place for place, is_kept in enumerate(there) if not is_kept]
            matches = iter(play([batch[place] for place in fresh], [seeds[place] for place in fresh]))
            for pairing, seed, is_kept in zip(batch, seeds, there, strict=True):
                if is_kept:  # read once more: all of them may be too much to hold
                    yield pairing, self.kept(pairing, seed)
                    continue
                _pairing, match = next(matches, (pairing, None))
                stopped = stopped or match is None
                yield pairing, match
            if stopped:
                return

    def history(self, plan: Plan) -> History:
        """What has happened in all rounds that were scheduled."""
        out = disqualifying(self.header.game)
        return history_of(plan, self.results, len(self.scheduled), out)[1]

    def _next(self) -> Sequence[Pairing]:
        if self.fixed:
            return [] if self.scheduled else self.fixed
        plan = self.header.plan
        assert plan is not None
        return formats.next_round(plan, self.history(plan), len(self.scheduled)) or []
