"""`agon compare`: compares a new version of a bot with an old one, by playing until it is decided.

contest/compare decides what is played, when it ends, and what follows. compare_run.py plays, compare_save.py
keeps the matches between two runs, and compare_report.py prints.
"""

import os
import re
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from agon.cli.arguments import (
    LARGEST_SEED,
    GameArgument,
    JobsOption,
    JsonOption,
    SandboxOption,
    SeedOption,
    seed_or_drawn,
)
from agon.cli.building import artifact_store, build_players
from agon.cli.compare_report import ComparisonResult, to_data, to_words, write_junit
from agon.cli.compare_run import ComparisonSetup, run
from agon.cli.compare_save import folder_of, saved_plan
from agon.cli.compare_site import compare_on_site, print_comparison
from agon.cli.crashes import print_crash
from agon.cli.game_code import import_referee
from agon.cli.output import CommandError, print_json
from agon.cli.resolve import find_bots, find_game
from agon.client import Comparison
from agon.contest.arena import Player
from agon.contest.formats import MOST_MATCHES
from agon.statistics.compare.cycles import matches_in
from agon.statistics.compare.interval import estimate
from agon.statistics.compare.sequential import FIRST_LOOK, ComparisonPlan, Verdict
from games.core.manifest import GameInfo

WORSE = 1  # the exit code
_LEAST_DIFFERENCE = re.compile(r"0\.[0-9]{1,4}", re.ASCII)
_SEED = re.compile(rf"[0-9]{{1,{len(str(LARGEST_SEED))}}}", re.ASCII)
_SMALLEST_LEAST = Fraction(1, 100)


def compare(
    context: typer.Context,
    game: GameArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="A bot, as for `agon play`.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot that NEW is compared with.")],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="BOT",
            help="NEW and OLD play the same matches against this bot; repeat it for more. Default: NEW and"
            " OLD play each other.",
        ),
    ] = None,
    least: Annotated[
        str,
        typer.Option(
            "--least",
            metavar="SHARE",
            help="The difference that matters, in shares of opponents beaten: 0.1 is 55 of 100 matches"
            " against each other.",
        ),
    ] = "0.1",
    cap: Annotated[
        int, typer.Option("--cap", max=MOST_MATCHES, help="Play at most this number of matches.")
    ] = 2000,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    sandbox: SandboxOption = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="DIR",
            help="Keep what is played in this folder; with the folder of an earlier run, go on from there.",
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as a JUnit test case.")
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site",
            metavar="URL",
            help="Compare on this site. GAME is the competition, NEW the number of a submission of yours, OLD"
            " that of another one or the name of a house bot.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    if site is not None:
        _check_for_site(context)
        _report_of_site(compare_on_site(site, game, new, old, quiet=json), json)
        return
    began = time.monotonic()
    info = find_game(game)
    opponents = against or []
    plan, seats = _plan(info, least, cap, len(opponents))
    bots = find_bots(info, [new, old, *opponents])
    _check_junit(junit)
    saved = saved_plan(save) if save else None
    seed = seed_or_drawn(seed) if seed is not None or saved is None else _saved_seed(saved, save)
    import_referee(info)
    with artifact_store() as store:
        name, players = build_players(info, bots, sandbox.value if sandbox else None, store)
        _check_different(players)
        setup = ComparisonSetup(info.slug, plan, least, cap, seats, seed, players, name)
        workers = min(jobs or len(os.sched_getaffinity(0)), cap)
        if save is None:
            progress = run(setup, None, workers)
        else:
            with folder_of(save, _facts(info, setup), [seats] * setup.per_cycle) as folder:
                progress = run(setup, folder, workers)
    seconds = round(time.monotonic() - began, 3)
    _report(ComparisonResult(setup, progress, estimate(plan, progress.tally), seconds), junit, json)


def _check_for_site(context: typer.Context) -> None:
    """Raise CommandError for options that are about matches at home: a site decides for itself."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and parameter.name not in ("game", "new", "old", "site", "json"):
            raise CommandError(f"--site: expected no {parameter.opts[0]} with it; a site decides that itself")


def _report_of_site(comparison: Comparison, json: bool) -> None:
    if json:
        print_json(comparison)
    else:
        print_comparison(comparison)
    if comparison["verdict"] == Verdict.WORSE or comparison["state"] != "finished":
        raise typer.Exit(WORSE)


def _plan(info: GameInfo, least: str, cap: int, opponents: int) -> tuple[ComparisonPlan, int]:
    """The plan of the comparison, and the number of seats: as few as the game allows. Raises CommandError."""
    seats = max(2, info.min_seats)
    if info.max_seats < 2:
        raise CommandError(f"{info.slug} has one seat; a comparison needs a game of two seats or more")
    if 0 < opponents < seats - 1:
        raise CommandError(f"--against: {info.slug} needs {seats - 1} opponents or more, got {opponents}")
    share = Fraction(least) if _LEAST_DIFFERENCE.fullmatch(least) else Fraction()
    if share < _SMALLEST_LEAST:
        raise CommandError(f"--least: expected a share from 0.01 to 0.9999, got {least!r}")
    per_cycle = matches_in(seats, opponents)
    if cap < FIRST_LOOK * per_cycle:
        raise CommandError(
            f"--cap: expected {FIRST_LOOK * per_cycle} or more ({FIRST_LOOK} cycles of {per_cycle} matches),"
            f" got {cap}"
        )
    return ComparisonPlan(share, cap // per_cycle), seats


def _saved_seed(saved: dict[str, Any], save: Path | None) -> int:
    seed = saved.get("seed")
    if not isinstance(seed, str) or not _SEED.fullmatch(seed):
        raise CommandError(f"--save: {save}/compare.json: seed: expected a number as text, got {seed!r:.40}")
    return int(seed)


def _check_junit(junit: Path | None) -> None:
    if junit is not None and (junit.is_dir() or not junit.absolute().parent.is_dir()):
        raise CommandError(f"--junit: {junit} cannot be written: expected a file in an existing folder")


def _check_different(players: Sequence[Player]) -> None:
    """Raise CommandError if NEW and OLD, or two opponents, have the same source: it would count twice."""
    new, old, *opponents = players
    if new.submission == old.submission:
        raise CommandError(f"NEW and OLD are the same bot: {new.name} and {old.name} have the same source")
    seen: dict[str, str] = {}
    for player in opponents:
        if player.submission in seen:
            raise CommandError(
                f"--against: {seen[player.submission]} and {player.name} are the same bot: they have the same"
                " source"
            )
        seen[player.submission] = player.name


def _facts(info: GameInfo, setup: ComparisonSetup) -> dict[str, Any]:
    """The facts that identify this comparison: a folder with other facts cannot be continued.

    The seed is text, because many JSON parsers keep only 53 bits of a number.
    """
    new, old, *opponents = ({"name": player.name, "source": player.submission} for player in setup.players)
    return {
        "game": info.slug,
        "version": info.version,
        "new": new,
        "old": old,
        "against": opponents,
        "least": setup.least,
        "cap": setup.cap,
        "seed": str(setup.seed),
    }


def _report(comparison: ComparisonResult, junit: Path | None, json: bool) -> None:
    if junit is not None:
        write_junit(junit, comparison)
    if json:
        print_json(to_data(comparison))
    else:
        print("\n".join(to_words(comparison)))
    for bot, tail in comparison.progress.crashed.items():
        print_crash(bot, tail)
    if comparison.progress.verdict == Verdict.WORSE:
        raise typer.Exit(WORSE)
