"""Plays a game's house bots against each other, and measures the game: for `agon check-game --report`."""

import math
import os
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from agon.cli.building import build_players
from agon.cli.output import INTERRUPTED, NO_SANDBOX, CommandError
from agon.cli.resolve import Bot
from agon.cli.terminal import progress
from agon.cli.workers import Job, SandboxFailed, Void, interruptible, play_all, worker_processes
from agon.contest.arena import Played
from agon.contest.formats import ScheduledMatch
from agon.contest.tally import RankedSeats, Sums
from agon.statistics.game_figures import Figures, Outcome, Seating, design, figures
from agon.statistics.strength import Strength, strengths
from games.core.manifest import GameInfo, house_bots

MARGIN = 5  # how many times the slowest answer of a house bot the suggested limit is
BYTES_MARGIN = 4  # the same for the longest answer
READY_MARGIN = 10  # the same for the slowest start: other languages start more slowly
MEMORY_MARGIN = 4  # the same for the largest process
MATCH_MARGIN = 10  # the same for the longest time besides answers: machines are busy, by no fault of a bot
LEAST_TURN_MS = 100  # that is suggested: shorter limits are hard to keep on busy machines
LEAST_READY_MS = 1000  # the same
LEAST_MATCH_S = 10  # the same
FIRST_SEED = 300_001


class Pace(NamedTuple):
    """How a bot answered. Times in charged milliseconds; None where no time was read. longest: in bytes.

    ready: the slowest start. memory_kib: of its largest process, as the sandbox counts it; 0 if unknown.
    """

    answers: int
    median: float | None
    usual: float | None
    slowest: float | None
    longest: int
    ready: float | None
    memory_kib: int


class Limits(NamedTuple):
    """Suggested limits, named as in game.toml; None where nothing was measured."""

    turn_ms: int | None
    answer_bytes: int
    ready_ms: int | None
    memory_mib: int | None
    match_s: int


class Measured(NamedTuple):
    """A game, measured. bots: its house bots, weakest first, as declared. strengths, paces: theirs.

    besides: the longest time of a match without that of its bots, in seconds. seconds: of the longest match.
    stopped: whether the time was over before all matches were played.
    """

    figures: Figures
    bots: tuple[str, ...]
    strengths: tuple[Strength, ...]
    paces: tuple[Pace, ...]
    limits: Limits
    besides: float
    seconds: float
    wanted: int
    stopped: bool


def measure(info: GameInfo, sandbox: str, store: Path, matches: int, seconds: float) -> Measured:
    """Play about so many matches within this time, at least one cycle. Raises CommandError."""
    bots = house_bots(info)
    _, players = build_players(info, [Bot(bot.name, bot.path) for bot in bots], sandbox, store)
    seatings = design(len(players), info.max_seats, matches)
    played = _play(Job(info.slug, players, sandbox), seatings, info.max_seats, time.monotonic() + seconds)
    outcomes = [Outcome(seating, tuple(match.log.ranks), _steps(match)) for seating, match in played]
    if not outcomes:
        raise CommandError("--report: no cycle of matches was played to its end", NO_SANDBOX)
    ranked = Counter(RankedSeats(outcome.seating.seats, outcome.ranks) for outcome in outcomes)
    sums = {match: Sums(count, (Fraction(),) * info.max_seats) for match, count in ranked.items()}
    paces = _paces(played, len(bots))
    besides = max(match.needed.besides_s for _, match in played if match.needed is not None)
    return Measured(
        figures(outcomes),
        tuple(bot.name for bot in bots),
        strengths(len(bots), sums, range(len(bots))).of,
        paces,
        _suggested(paces, besides),
        besides,
        max(match.seconds for _, match in played),
        len(seatings),
        len(played) < len(seatings),
    )


def _play(job: Job, seatings: Sequence[Seating], seats: int, end: float) -> list[tuple[Seating, Played]]:
    """The matches of all cycles that were complete in time; the first cycle is waited for."""
    scheduled = [
        ScheduledMatch(index, seating.cycle, index % seats, seating.seats)
        for index, seating in enumerate(seatings)
    ]
    seeds = [FIRST_SEED + seating.cycle for seating in seatings]
    complete: list[tuple[Seating, Played]] = []
    cycle: list[tuple[Seating, Played]] = []
    try:
        with (
            interruptible() as interrupt,
            worker_processes(job, len(os.sched_getaffinity(0))) as processes,
            progress() as bar,
        ):
            task = bar.add_task("measuring", total=len(scheduled))
            for match, result in play_all(processes, scheduled, seeds, interrupt):
                if isinstance(result, Void):
                    raise CommandError(f"--report: a match has no result: {result.reason}", NO_SANDBOX)
                cycle.append((seatings[match.index], result))
                bar.advance(task)
                if len(cycle) == seats:
                    complete += cycle
                    cycle = []
                    if time.monotonic() > end:
                        return complete
            if interrupt.happened:
                raise CommandError("stopped", INTERRUPTED)
    except SandboxFailed as error:
        raise CommandError(str(error), NO_SANDBOX) from None
    return complete


def _steps(match: Played) -> int:
    return match.log.exchanges[-1].step + 1 if match.log.exchanges else 0


def _suggested(paces: Sequence[Pace], besides: float) -> Limits:
    slowest = max((pace.slowest for pace in paces if pace.slowest is not None), default=None)
    ready = max((pace.ready for pace in paces if pace.ready is not None), default=None)
    memory = max(pace.memory_kib for pace in paces)
    return Limits(
        turn_ms=None if slowest is None else round_up(max(LEAST_TURN_MS, MARGIN * slowest)),
        answer_bytes=_power_of_two(BYTES_MARGIN * max(pace.longest for pace in paces)),
        ready_ms=None if ready is None else round_up(max(LEAST_READY_MS, READY_MARGIN * ready)),
        memory_mib=_power_of_two(math.ceil(MEMORY_MARGIN * memory / 1024)) if memory else None,
        match_s=round_up(max(LEAST_MATCH_S, MATCH_MARGIN * besides)),
    )


def _paces(played: Sequence[tuple[Seating, Played]], bots: int) -> tuple[Pace, ...]:
    times: dict[int, list[float]] = defaultdict(list)
    longest = [0] * bots
    answers = [0] * bots
    memory = [0] * bots
    ready: dict[int, float] = {}
    for seating, match in played:
        if match.needed is not None:
            for seat, kib in match.needed.peak_kib.items():
                memory[seating.seats[seat]] = max(memory[seating.seats[seat]], kib)
            for seat, took in match.needed.ready_us.items():
                ready[seating.seats[seat]] = max(ready.get(seating.seats[seat], 0.0), took / 1000)
        for exchange in match.log.exchanges:
            bot = seating.seats[exchange.seat]
            answers[bot] += 1
            texts = exchange.reply.values() if isinstance(exchange.reply, dict) else [exchange.reply or ""]
            longest[bot] = max(longest[bot], *(len(str(text).encode()) for text in texts))
            if exchange.charged_us is not None:
                times[bot].append(exchange.charged_us / 1000)
    return tuple(
        Pace(answers[bot], *_summary(sorted(times[bot])), longest[bot], ready.get(bot), memory[bot])
        for bot in range(bots)
    )


def _summary(times: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Median, 99th percentile and maximum of sorted times."""
    if not times:
        return None, None, None
    return times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))], times[-1]


def to_data(measured: Measured) -> dict[str, Any]:
    """As JSON data: what the report says, without its words."""
    figures = measured.figures
    return {
        "matches": figures.matches,
        "seats": [seat._asdict() for seat in figures.seats],
        "luck": None if figures.luck is None else figures.luck._asdict(),
        "draws": figures.draws._asdict(),
        "steps": figures.steps._asdict() | {"shortest": figures.shortest, "longest": figures.longest},
        "besides_s": round(measured.besides, 6),
        "bots": [
            {"name": name, "strength": strength._asdict(), **pace._asdict()}
            for name, strength, pace in zip(measured.bots, measured.strengths, measured.paces, strict=True)
        ],
        "suggested": measured.limits._asdict(),
    }


def round_up(value: float) -> int:
    """The next number of the kind 1, 2 or 5 times a power of ten."""
    unit = 1
    while True:
        for step in (1, 2, 5):
            if step * unit >= value:
                return step * unit
        unit *= 10


def _power_of_two(value: int) -> int:
    return 1 << max(0, value - 1).bit_length()
