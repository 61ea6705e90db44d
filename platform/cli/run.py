"""What `agon play` and `agon tournament` share: build the bots, play the schedule, save, print.

Whatever is wrong with the arguments is found before the first match is played. A run that is interrupted, or
that the platform cannot go on with, ends like a complete one, with the matches that were played: they are
saved where --save asks for it, and printed; then the reason is given and the exit code says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.building import artifact_store, build_players
from cli.output import INTERRUPTED, NO_SANDBOX, Stop, print_json, print_table, progress, say
from cli.resolve import Bot
from cli.workers import SandboxFailed, Void, Work, crew, interruptible, played
from contest.archive.manifest import Header
from contest.archive.writer import BadFolder, archived_match, disqualifying, prepare_folder, write_folder
from contest.arena import Played
from contest.formats import Pairing
from contest.points import Result
from contest.standings import StandingsRow, compute_standings, result_of, to_data
from games.core import seeds
from games.core.manifest import GameInfo
from games.core.record import RecordedFault, SeatInfo

_MOST_LISTED = 20  # matches that are listed one by one for people


@dataclass(frozen=True)
class Contest:
    """What is to be played, and where it goes. sandbox: a backend's name, None for the best there is."""

    info: GameInfo
    format: str
    rounds: int
    seed: int
    bots: Sequence[Bot]
    pairings: Sequence[Pairing]
    jobs: int
    sandbox: str | None
    save: Path | None
    json: bool


@dataclass
class _Outcome:
    """What is kept of the matches for the summary, while their records go to the archive."""

    matches: list[dict[str, Any]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    void: list[str] = field(default_factory=list)  # which match, and why
    failure: str = ""

    def add(self, pairing: Pairing, match: Played) -> None:
        self.matches.append(_summary(match))
        self.results.append(result_of(match.record, pairing.seats))


def hold(contest: Contest) -> None:
    """Build, play, save, print. Raises Stop."""
    began = time.monotonic()
    _check_save(contest.save)
    outcome = _Outcome()
    with artifact_store() as store:
        sandbox, players = build_players(contest.info, contest.bots, contest.sandbox, store)
        work = Work(contest.info.slug, contest.seed, players, sandbox)
        entrants = tuple(SeatInfo(player.name, player.submission) for player in players)
        with interruptible() as interrupt, crew(work, contest.jobs) as workers:
            matches = played(workers, contest.pairings, interrupt)
            _keep(contest, entrants, _noted(matches, len(contest.pairings), outcome))
    rows = _table(contest, outcome)
    seconds = round(time.monotonic() - began, 3)
    if contest.json:
        print_json(
            {
                "game": contest.info.slug,
                "sandbox": sandbox,
                "seconds": seconds,
                "matches": outcome.matches,
                "standings": to_data(rows),
            }
        )
    else:
        _tell(outcome, rows)
    _check_complete(contest, outcome)


def _check_save(save: Path | None) -> None:
    if save is not None:
        try:
            prepare_folder(save)
        except BadFolder as error:
            raise Stop(f"--save: {error}") from None


def _noted(
    matches: Iterable[tuple[Pairing, Played | Void]], total: int, outcome: _Outcome
) -> Iterator[tuple[Pairing, Played]]:
    """Pass the matches on to whoever keeps them; a failure of the platform ends them early."""
    with progress() as bar:
        task = bar.add_task("playing", total=total)
        try:
            for pairing, match in matches:
                bar.advance(task)
                if isinstance(match, Void):
                    outcome.void.append(f"match {pairing.index} is void, by no bot's doing: {match.reason}")
                    continue
                outcome.add(pairing, match)
                yield pairing, match
        except SandboxFailed as error:
            outcome.failure = str(error)


def _keep(
    contest: Contest, entrants: tuple[SeatInfo, ...], matches: Iterator[tuple[Pairing, Played]]
) -> None:
    if contest.save is None:
        for _ in matches:
            pass
        return
    header = Header(
        game=contest.info.slug,
        format=contest.format,
        rounds=contest.rounds,
        seed=contest.seed,
        points=contest.info.tournament.points,
        seats=len(contest.pairings[0].seats),
        entrants=entrants,
    )
    try:
        write_folder(
            contest.save,
            header,
            (archived_match(pairing, match.record, match.stderr, match.files) for pairing, match in matches),
        )
    except OSError as error:
        raise Stop(f"--save: {contest.save} cannot be written: {error.strerror or error}") from None


def _summary(match: Played) -> dict[str, Any]:
    record = match.record
    return {
        "seed": seeds.to_data(record.seed),
        "seats": [seat.name for seat in record.seats],
        "scores": list(record.scores),
        "ranks": list(record.ranks),
        "faults": [_fault_data(fault) for fault in record.faults],
        "seconds": match.seconds,
    }


def _fault_data(fault: RecordedFault) -> dict[str, Any]:
    """`turn` is what `step` was called before, for those who read it."""
    return {
        "seat": fault.seat,
        "kind": fault.kind,
        "step": fault.step,
        "turn": fault.step,
        "reason": fault.reason,
    }


def _table(contest: Contest, outcome: _Outcome) -> tuple[StandingsRow, ...]:
    names = [bot.name for bot in contest.bots]
    out = disqualifying(contest.info.slug)
    return compute_standings(names, outcome.results, contest.info.tournament.points, out)


def _tell(outcome: _Outcome, rows: Sequence[StandingsRow]) -> None:
    """The same for people: short runs match by match, then the standings."""
    if len(outcome.matches) <= _MOST_LISTED:
        print_table(
            ("seed", "scores", "faults"),
            (
                (
                    match["seed"],
                    ", ".join(map(" ".join, zip(match["seats"], match["scores"], strict=True))),
                    "; ".join(_fault_words(match, fault) for fault in match["faults"]),
                )
                for match in outcome.matches
            ),
        )
        print()
    print_table(
        ("rank", "bot", "points", "played", "won", "drawn", "faults", ""),
        (
            (row.rank, row.bot, row.points, row.played, row.won, row.drawn, row.faults, row.disqualified)
            for row in rows
        ),
    )


def _fault_words(match: dict[str, Any], fault: dict[str, Any]) -> str:
    return f"{match['seats'][fault['seat']]}: {fault['kind']}: {fault['reason']}"


def _check_complete(contest: Contest, outcome: _Outcome) -> None:
    done, total = len(outcome.matches), len(contest.pairings)
    if done == total:
        return
    kept = f"saved in {contest.save}" if contest.save else "not saved"
    count = f"{done} of {total} matches were played and are {kept}"
    for words in outcome.void[:_MOST_LISTED]:
        say(words)
    if outcome.failure:
        raise Stop(f"{outcome.failure}; {count}", NO_SANDBOX)
    if done + len(outcome.void) == total:
        raise Stop(count, NO_SANDBOX)
    raise Stop(f"stopped; {count}", INTERRUPTED)
