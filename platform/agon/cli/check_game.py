"""`agon check-game`: checks that a game keeps the promises of every game. Exit code 1 if it does not."""

import time
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from agon.cli.arguments import GameArgument, JsonOption
from agon.cli.authors.fate_checks import cast_fates, fate_checks, play_fates
from agon.cli.authors.measuring import Measured, measure
from agon.cli.authors.measuring import to_data as measured_data
from agon.cli.authors.mutant_runs import Mutants, judge_mutants, print_mutants, to_data
from agon.cli.authors.report import report as html
from agon.cli.building import artifact_store
from agon.cli.game_checks import FAILED, UNPLAYED, Verdict, bot_checks, playable, static_checks
from agon.cli.game_code import stdout_to_stderr
from agon.cli.output import NO_SANDBOX, CommandError, file_errors, print_json, say
from agon.cli.resolve import find_game
from agon.cli.terminal import print_table, progress
from games.core.fates import read_fates
from games.core.manifest import load, slugs
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox

CHECK_FAILED = 1


class _Outcome(NamedTuple):
    """All verdicts; the sandbox's name, if one was used; why it failed, if it did; what else was done."""

    verdicts: list[Verdict]
    sandbox: str | None = None
    failure: str = ""
    mutants: Mutants | None = None
    measured: Measured | None = None


class _More(NamedTuple):
    """What is asked for besides the checks. tests: for pytest. matches: to measure the game by, 0 for none.

    seconds: that mutants may take, and the matches.
    """

    mutants: bool
    tests: tuple[str, ...]
    matches: int
    seconds: int


def check_game(
    game: GameArgument,
    mutants: Annotated[
        bool,
        typer.Option(
            "--mutants",
            help="Also change the referee in many small ways, and list the changes that no check notices.",
        ),
    ] = False,
    tests: Annotated[
        list[Path] | None,
        typer.Option(
            "--tests",
            metavar="PATH",
            exists=True,
            help="More tests for pytest that mutants must pass; those in the game's folder are run anyway.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            dir_okay=False,
            writable=True,
            help="Also measure the game by matches of its house bots, and write all of it to this HTML file.",
        ),
    ] = None,
    matches: Annotated[
        int, typer.Option("--matches", min=1, max=100_000, help="About how many matches to measure by.")
    ] = 300,
    seconds: Annotated[
        int,
        typer.Option("--seconds", min=1, max=86_400, help="How long mutants may take, and how long matches."),
    ] = 600,
    json: JsonOption = False,
) -> None:
    began = time.monotonic()
    if report is not None:
        _check_report(report)
    if game not in slugs():
        game = find_game(game).slug
    with stdout_to_stderr():
        more = _More(
            mutants, tuple(str(path.resolve()) for path in tests or ()), matches if report else 0, seconds
        )
        outcome = _check(game, more)
    if json:
        print_json(_document(game, outcome, time.monotonic() - began))
    else:
        _print_verdicts(game, outcome.verdicts)
        if outcome.mutants:
            print_mutants(outcome.mutants, load(game).folder.parent)
    if report is not None:
        _write_report(report, game, outcome)
    if outcome.failure:
        raise CommandError(f"{outcome.failure}; the house bots were not played", NO_SANDBOX)
    if any(verdict.state == FAILED for verdict in outcome.verdicts):
        raise typer.Exit(CHECK_FAILED)


def _check_report(path: Path) -> None:
    """Raises CommandError now, rather than after minutes of matches, if the report cannot be written."""
    if not path.parent.is_dir():
        raise CommandError(f"--report: there is no folder {path.parent}")
    is_new = not path.exists()
    with _report_errors(path):
        path.open("ab").close()
        if is_new:
            path.unlink()


def _report_errors(path: Path) -> AbstractContextManager[None]:
    return file_errors(f"--report: {path} cannot be written")


def _document(game: str, outcome: _Outcome, seconds: float) -> dict[str, Any]:
    document: dict[str, Any] = {
        "game": game,
        "sandbox": outcome.sandbox,
        "seconds": round(seconds, 3),
        "checks": [vars(verdict) for verdict in outcome.verdicts],
    }
    if outcome.mutants:
        document["mutants"] = to_data(outcome.mutants, load(game).folder.parent)
    if outcome.measured:
        document["measured"] = measured_data(outcome.measured)
    return document


def _write_report(path: Path, game: str, outcome: _Outcome) -> None:
    """Write the report, if the game was measured. Raises CommandError."""
    if outcome.measured is None:
        return
    assert outcome.sandbox is not None
    page = html(load(game), outcome.verdicts, outcome.measured, outcome.mutants, outcome.sandbox)
    with _report_errors(path):
        path.write_text(page, encoding="utf-8")
    say(f"the report is in {path}")


def _check(game: str, more: _More) -> _Outcome:
    verdicts: list[Verdict] = []
    with progress() as bar:
        verdicts += bar.track(static_checks(game), description="the game")
        if not playable(verdicts):
            return _Outcome([*verdicts, UNPLAYED])
        info = load(game)
        try:
            with closing(open_sandbox(None)) as sandbox, artifact_store() as store:
                verdicts += bar.track(bot_checks(info, sandbox, store), description="house bots")
                if any(verdict.check == "fates" and verdict.state == FAILED for verdict in verdicts):
                    return _Outcome(verdicts, sandbox.name)
                cast = cast_fates(info, read_fates(info), sandbox, store)
                met = list(bar.track(play_fates(info, cast.playable, sandbox), description="fates"))
                verdicts.append(fate_checks(cast, met))
                if any(verdict.state == FAILED for verdict in verdicts):
                    return _Outcome(verdicts, sandbox.name)
                bar.stop()
                judged = measured = None
                if more.mutants:
                    fates = [played.staged for played in met]
                    judged = judge_mutants(info, fates, sandbox.name, more.tests, more.seconds)
                if more.matches:
                    measured = measure(info, sandbox.name, store, more.matches, more.seconds)
                return _Outcome(verdicts, sandbox.name, mutants=judged, measured=measured)
        except SandboxError as error:
            return _Outcome(verdicts, failure=str(error))


def _print_verdicts(game: str, verdicts: list[Verdict]) -> None:
    print_table(
        ("", "check", "promise"),
        (
            row
            for verdict in verdicts
            for row in (
                (verdict.state, verdict.check, verdict.promise),
                *(("", "", f"-> {line}") for words in verdict.words for line in words.splitlines()),
            )
        ),
    )
    failed = sum(verdict.state == FAILED for verdict in verdicts)
    print(f"\n{game}: {failed} of {len(verdicts)} checks failed" if failed else f"\n{game} passes")
