"""Plays the matches of `agon compare` in worker processes, and counts them by cycle until the test ends.

Workers play ahead, but matches are counted in the order of the schedule, after those that the folder holds
(--save). So neither the number of workers nor an interruption changes a result. A cycle in which a match is
void is left out.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from agon.cli.compare_save import Folder, SavedCycle, SavedMatch
from agon.cli.crashes import crashes
from agon.cli.output import INTERRUPTED, NO_SANDBOX, CommandError, say
from agon.cli.terminal import progress as progress_bar
from agon.cli.workers import Job, SandboxFailed, Void, interruptible, play_all, worker_processes
from agon.contest.arena import Played, Player
from agon.contest.formats import ScheduledMatch
from agon.statistics.compare.cycles import NEW, OLD, Seats, difference, matches_in, seatings, seed_of
from agon.statistics.compare.sequential import FIRST_LOOK, ComparisonPlan, CycleTally, Verdict, decide
from games.core.record import to_json

_MOST_REPORTED = 20  # void matches


@dataclass(frozen=True)
class ComparisonSetup:
    """A comparison to play. players: NEW, OLD, then the opponents. least, cap: as they were given."""

    game: str
    plan: ComparisonPlan
    least: str
    cap: int
    seats: int
    seed: int
    players: tuple[Player, ...]
    sandbox: str

    @property
    def opponents(self) -> int:
        return len(self.players) - 2

    @property
    def per_cycle(self) -> int:
        """Matches of a cycle."""
        return matches_in(self.seats, self.opponents)

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each cycle."""
        return tuple(seed_of(self.seed, cycle) for cycle in range(self.plan.cycles))

    def seatings(self, cycle: int) -> tuple[Seats, ...]:
        """The seats of each match of a cycle."""
        return seatings(self.seeds[cycle], self.seats, self.opponents)

    def scheduled_matches(self, first: int) -> list[ScheduledMatch]:
        """All matches from this cycle on."""
        return [
            ScheduledMatch(cycle * self.per_cycle + place, cycle, place, seats)
            for cycle in range(first, self.plan.cycles)
            for place, seats in enumerate(self.seatings(cycle))
        ]


@dataclass
class Progress:
    """The state of the comparison so far.

    tally: of the cycles that count. cycles: all of them, of which `void` are left out. faults: of NEW and of
    OLD. crashed: by bot, the end of its standard error. ended: whether the test has reached its verdict.
    """

    tally: CycleTally = field(default_factory=CycleTally)
    cycles: int = 0
    void: int = 0
    matches: int = 0
    faults: list[int] = field(default_factory=lambda: [0, 0])
    crashed: dict[str, str] = field(default_factory=dict)
    verdict: Verdict = Verdict.UNDECIDED
    ended: bool = False

    def count(self, setup: ComparisonSetup, cycle: SavedCycle) -> None:
        """Add the next cycle, and decide whether the test ends with it."""
        seated = setup.seatings(self.cycles)
        self.cycles += 1
        if not cycle.matches:
            self.void += 1
            return
        for seats, match in zip(seated, cycle.matches, strict=True):
            for entrant, faults in zip(seats, match.faults, strict=True):
                if entrant in (NEW, OLD):
                    self.faults[entrant] += faults
        self.matches += len(cycle.matches)
        ranks = [match.ranks for match in cycle.matches]
        self.tally = self.tally.with_cycle(difference(list(zip(seated, ranks, strict=True))))
        verdict = decide(setup.plan, self.tally)
        if verdict is not None:
            self.verdict, self.ended = verdict, True


def run(setup: ComparisonSetup, folder: Folder | None, workers: int) -> Progress:
    """Play until the test ends. folder: the cycles that were played before; new ones are added to it.

    Raises CommandError; if the run was interrupted or the sandbox failed, it says what was saved.
    """
    progress = Progress()
    for cycle in folder.cycles if folder else ():
        if not progress.ended and progress.cycles < setup.plan.cycles:
            progress.count(setup, cycle)
    if not progress.ended and progress.cycles < setup.plan.cycles:
        _play(setup, folder, workers, progress)
    if progress.tally.cycles < FIRST_LOOK:
        raise CommandError(
            f"{progress.void} of {progress.cycles} cycles are void: nothing can be concluded", NO_SANDBOX
        )
    return progress


def _play(setup: ComparisonSetup, folder: Folder | None, workers: int, progress: Progress) -> None:
    reason, code = "stopped", INTERRUPTED
    job = Job(setup.game, setup.players, setup.sandbox)
    scheduled_matches = setup.scheduled_matches(progress.cycles)
    seeds = [setup.seeds[scheduled.round] for scheduled in scheduled_matches]
    with (
        interruptible() as interrupt,
        worker_processes(job, workers) as processes,
        progress_bar() as bar,
    ):
        task = bar.add_task("playing", total=setup.plan.cycles, completed=progress.cycles)
        matches = play_all(processes, scheduled_matches, seeds, interrupt)
        try:
            for played in _cycles(matches, setup.per_cycle):
                _add(setup, folder, progress, played)
                bar.update(task, completed=progress.cycles)
                if progress.ended:
                    return
        except SandboxFailed as error:
            reason, code = str(error), NO_SANDBOX
    if progress.cycles < setup.plan.cycles:
        raise CommandError(f"{reason}; {_saved_sentence(progress, folder)}", code)


def _cycles(
    matches: Iterable[tuple[ScheduledMatch, Played | Void]], size: int
) -> Iterator[list[tuple[ScheduledMatch, Played | Void]]]:
    """The matches of each cycle that is complete."""
    cycle = []
    for match in matches:
        cycle.append(match)
        if len(cycle) == size:
            yield cycle
            cycle = []


def _add(
    setup: ComparisonSetup,
    folder: Folder | None,
    progress: Progress,
    cycle: list[tuple[ScheduledMatch, Played | Void]],
) -> None:
    played = [match for _scheduled, match in cycle if isinstance(match, Played)]
    records = [to_json(match.log.record).encode() for match in played]
    saved = SavedCycle(tuple(map(_to_saved_match, played, records)))
    if len(played) < len(cycle):
        saved, records = SavedCycle(()), []
        for scheduled, match in cycle:
            if isinstance(match, Void) and progress.void < _MOST_REPORTED:
                say(f"match {scheduled.index} is void, through no fault of a bot: {match.reason}")
    for match in played:
        for fault, tail in crashes(match):
            progress.crashed.setdefault(match.log.seats[fault.seat].name, tail)
    if folder is not None:
        folder.add(progress.cycles, saved, records)
    progress.count(setup, saved)


def _to_saved_match(match: Played, record: bytes) -> SavedMatch:
    faults = [0] * len(match.log.ranks)
    for fault in match.log.faults:
        faults[fault.seat] += 1
    return SavedMatch(tuple(match.log.ranks), tuple(faults), hashlib.sha256(record).hexdigest())


def _saved_sentence(progress: Progress, folder: Folder | None) -> str:
    count = f"{progress.matches} matches in {progress.cycles} cycles were played and are"
    if folder is None:
        return f"{count} not saved"
    return f"{count} saved in {folder.path}; the same command goes on from there"
