"""Runs a contest for `agon play` and `agon tournament`: builds the bots, plays the schedule, saves, prints.

Errors in the arguments are reported before the first match is played. A run that is interrupted, or that the
platform cannot continue, ends like a complete one with the matches played so far: they are saved, with
--save, and printed. Then the reason is printed, and the exit code reflects it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agon.cli.advice import flush_advice
from agon.cli.building import artifact_store, build_players
from agon.cli.crashes import crashes, print_crash
from agon.cli.game_code import import_referee
from agon.cli.output import INTERRUPTED, NO_SANDBOX, CommandError, file_errors, print_json, say
from agon.cli.resolve import Bot
from agon.cli.resume import header_in, saved_match
from agon.cli.rounds import Rounds
from agon.cli.terminal import print_table, progress
from agon.cli.workers import Job, SandboxFailed, Void, interruptible, play_all, worker_processes
from agon.contest.archive.manifest import LONGEST_TEXT, Absent, Fate, Header, results_digest
from agon.contest.archive.writer import (
    ArchivedMatch,
    BadFolder,
    Standings,
    archived_match,
    digest,
    fill_folder,
    prepare_folder,
)
from agon.contest.arena import Played, Player
from agon.contest.formats import ScheduledMatch, Value
from agon.contest.points import Result
from agon.contest.reasons import english
from agon.contest.standings import CRITERIA, StandingsRow, result_of
from agon.contest.standings import to_data as standings_data
from games.core import seeds
from games.core.faults import FaultKind
from games.core.manifest import GameInfo
from games.core.record import SeatInfo, to_json
from games.core.wording import clip, exact

_MOST_LISTED = 20  # matches; longer runs print only the standings


@dataclass(frozen=True)
class Contest:
    """A contest to play, and where the results go.

    scheduled_matches: all matches, or none yet if the format needs results. most: the largest possible number
    of matches. jobs: worker processes. sandbox: a backend's name, None for the best available. json: whether
    the results are printed as JSON.
    """

    info: GameInfo
    format: str
    rounds: int
    seed: int
    bots: Sequence[Bot]
    scheduled_matches: Sequence[ScheduledMatch]
    most: int
    settings: Mapping[str, Value]
    jobs: int
    sandbox: str | None
    save: Path | None
    json: bool


@dataclass
class _Outcome:
    """The results, as far as the summary needs them; the records themselves go to the archive."""

    most_shown: int
    matches: list[dict[str, Any]] = field(default_factory=list)
    records: list[tuple[int, str]] = field(default_factory=list)  # index and SHA-256 of each record
    results: dict[int, Result] = field(default_factory=dict)
    void: int = 0  # matches
    silent: dict[str, Played] = field(default_factory=dict)  # by bot: its first match with a time-out
    crashed: dict[str, str] = field(default_factory=dict)  # by bot: the end of its standard error
    failure: str = ""  # why the platform could not continue
    shown: list[Played] = field(default_factory=list)  # the first ones, for a browser

    def add(self, scheduled: ScheduledMatch, match: Played) -> None:
        if len(self.shown) < self.most_shown:
            self.shown.append(match)
        self.matches.append(_summary(match))
        self.records.append((scheduled.index, digest(to_json(match.log.record).encode()).sha256))
        self.results[scheduled.index] = result_of(match.log, scheduled.seats)
        for fault in match.log.faults:
            if fault.kind in (FaultKind.START, FaultKind.TIMEOUT):
                self.silent.setdefault(match.log.seats[fault.seat].name, match)
        for fault, tail in crashes(match):
            self.crashed.setdefault(match.log.seats[fault.seat].name, tail)

    def add_void(self, scheduled: ScheduledMatch, match: Void) -> None:
        self.void += 1
        if self.void <= _MOST_LISTED:
            say(f"match {scheduled.index} is void, through no fault of a bot: {match.reason}")


def run(contest: Contest, most_shown: int = 0) -> list[Played]:
    """Build, play, save, print. Returns the first matches, at most `most_shown`. Raises CommandError."""
    began = time.monotonic()
    saved_header = _saved_header(contest)
    import_referee(contest.info)
    outcome = _Outcome(most_shown)
    with artifact_store() as store:
        sandbox, players = build_players(contest.info, contest.bots, contest.sandbox, store)
        entrants = tuple(SeatInfo(player.name, player.submission) for player in players)
        header = _header(contest, entrants)
        if saved_header is not None and saved_header != header:
            difference = _difference(saved_header, header)
            raise CommandError(f"--save: {contest.save} holds another contest; {difference}")
        rounds = Rounds(
            header, contest.scheduled_matches, _saved_match_loader(contest, header), results=outcome.results
        )
        job = Job(contest.info.slug, players, sandbox)
        with interruptible() as interrupt, worker_processes(job, contest.jobs) as workers:
            matches = rounds.matches(lambda batch, seeds: play_all(workers, batch, seeds, interrupt))
            _save(contest, header, _collect(matches, rounds, contest.most, outcome))
    rows = _standings(rounds)
    seconds = round(time.monotonic() - began, 3)
    if contest.json:
        print_json(
            {
                "game": contest.info.slug,
                "sandbox": sandbox,
                "seconds": seconds,
                "digest": results_digest(outcome.records),
                "matches": outcome.matches,
                "standings": standings_data(rows),
            }
        )
    else:
        _print(outcome, rows)
    for bot, tail in outcome.crashed.items():
        print_crash(bot, tail)
    _advise(contest, players, outcome)
    _check_complete(contest, rounds, outcome)
    return outcome.shown


def _advise(contest: Contest, players: Sequence[Player], outcome: _Outcome) -> None:
    for bot, player in zip(contest.bots, players, strict=True):
        match = outcome.silent.get(bot.name)
        if match is None:
            continue
        seat = [seat_info.name for seat_info in match.log.seats].index(bot.name)
        if advice := flush_advice(match, seat, bot.path, player.artifact.language, contest.info.channel):
            say(f"{bot.name}: {advice}")


def _saved_header(contest: Contest) -> Header | None:
    """The contest of which the folder of --save holds a part; None if the folder is new, and prepare it then.

    Raises CommandError.
    """
    if contest.save is None:
        return None
    saved_header = header_in(contest.save)
    if saved_header is None:
        try:
            prepare_folder(contest.save)
        except BadFolder as error:
            raise CommandError(f"--save: {error}") from None
    return saved_header


def _saved_match_loader(contest: Contest, header: Header) -> Callable[[ScheduledMatch, int], Played | None]:
    """A function that returns a scheduled match with its seed if the folder of --save holds it, else None."""
    folder = contest.save
    if folder is None:
        return lambda scheduled, seed: None
    return lambda scheduled, seed: saved_match(folder, header, scheduled, seed)


def _difference(saved_header: Header, wanted: Header) -> str:
    for name in ("game", "format", "rounds", "seed", "points", "seats", "format_settings"):
        if getattr(saved_header, name) != getattr(wanted, name):
            return f"{name}: expected {getattr(wanted, name)}, got {getattr(saved_header, name)}"
    return "entrants: expected the same programs in the same order"


def _collect(
    matches: Iterable[tuple[ScheduledMatch, Played | Void | None]],
    rounds: Rounds,
    most: int,
    outcome: _Outcome,
) -> Iterator[tuple[ScheduledMatch, Played] | Absent]:
    """Yield each match, or why it is absent, and add it to `outcome`.

    most: for the progress bar. A failing sandbox ends the run: the reason is in `outcome.failure`.
    """
    done = 0
    with progress() as bar:
        task = bar.add_task("playing", total=most)
        try:
            for scheduled, match in matches:
                done += 1
                if match is None:
                    yield Absent(scheduled, Fate.UNPLAYED, "")
                    continue
                bar.advance(task)
                if isinstance(match, Void):
                    outcome.add_void(scheduled, match)
                    yield Absent(scheduled, Fate.VOID, clip(match.reason, LONGEST_TEXT))
                else:
                    outcome.add(scheduled, match)
                    yield scheduled, match
        except SandboxFailed as error:
            outcome.failure = str(error)
    for scheduled in rounds.scheduled[done:]:
        yield Absent(scheduled, Fate.UNPLAYED, "")


def _header(contest: Contest, entrants: tuple[SeatInfo, ...]) -> Header:
    return Header(
        game=contest.info.slug,
        format=contest.format,
        rounds=contest.rounds,
        seed=contest.seed,
        points=contest.info.tournament.points,
        seats=len(contest.scheduled_matches[0].seats)
        if contest.scheduled_matches
        else contest.info.max_seats,
        entrants=entrants,
        format_settings=tuple(contest.settings.items()),
    )


def _save(
    contest: Contest, header: Header, matches: Iterator[tuple[ScheduledMatch, Played] | Absent]
) -> None:
    if contest.save is None:
        for _ in matches:
            pass
        return
    with file_errors(f"--save: {contest.save} cannot be written"):
        fill_folder(contest.save, header, map(_archived, matches))


def _archived(match: tuple[ScheduledMatch, Played] | Absent) -> ArchivedMatch | Absent:
    if isinstance(match, Absent):
        return match
    scheduled, played = match
    return archived_match(scheduled, played.log, played.stderr, played.files)


def _summary(match: Played) -> dict[str, Any]:
    log = match.log
    return {
        "seed": seeds.to_data(log.seed),
        "seats": [seat.name for seat in log.seats],
        "scores": list(log.scores),
        "ranks": list(log.ranks),
        "faults": [
            {"seat": fault.seat, "kind": fault.kind, "step": fault.step, "reason": english(fault.reason)}
            for fault in log.faults
        ],
        "seconds": match.seconds,
    }


def _standings(rounds: Rounds) -> tuple[StandingsRow, ...]:
    table = Standings(rounds.header)
    for index, result in rounds.results.items():
        table.add(index, result)
    return table.rows(len(rounds.scheduled))


def _print(outcome: _Outcome, rows: Sequence[StandingsRow]) -> None:
    """Print tables: the matches, if they are few, then the standings."""
    if len(outcome.matches) <= _MOST_LISTED:
        print_table(
            ("seed", "scores", "faults"),
            (
                (
                    match["seed"],
                    ", ".join(map(" ".join, zip(match["seats"], map(exact, match["scores"]), strict=True))),
                    "; ".join(_fault_words(match, fault) for fault in match["faults"]),
                )
                for match in outcome.matches
            ),
        )
        print()
    print_table(
        (
            "rank",
            "bot",
            "points",
            *(CRITERIA[name][0] for row in rows[:1] for name, _value in row.tie_breaks),
            *("played", "won", "drawn", "faults", ""),
        ),
        (
            (
                row.rank,
                row.bot,
                exact(row.points),
                *(exact(value) for _name, value in row.tie_breaks),
                *(row.played, row.won, row.drawn, row.faults, row.disqualified),
            )
            for row in rows
        ),
    )


def _fault_words(match: dict[str, Any], fault: dict[str, Any]) -> str:
    return f"{match['seats'][fault['seat']]}: {fault['kind']}: {fault['reason']}"


def _check_complete(contest: Contest, rounds: Rounds, outcome: _Outcome) -> None:
    done, total = len(outcome.matches), len(rounds.scheduled)
    if done == total:
        return
    where = f"saved in {contest.save}" if contest.save else "not saved"
    void = f"; {outcome.void} {'are' if outcome.void > 1 else 'is'} void" if outcome.void else ""
    count = f"{done} of {total} matches were played and are {where}{void}"
    if outcome.failure:
        raise CommandError(f"{outcome.failure}; {count}", NO_SANDBOX)
    if done + outcome.void == total:
        raise CommandError(count, NO_SANDBOX)
    raise CommandError(f"stopped; {count}", INTERRUPTED)
