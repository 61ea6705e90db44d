"""`agon check-game`: does a game keep the promises that every game makes? Exit code 1 if not."""

from __future__ import annotations

import sys
import time
from contextlib import closing, redirect_stdout
from typing import TYPE_CHECKING, Any

import typer

from cli.arguments import GameArgument, JsonOption

if TYPE_CHECKING:
    from cli.game_checks import Verdict

FOUND_SOMETHING = 1


def check_game(game: GameArgument, json: JsonOption = False) -> None:
    """Check a game by the compliance suite, then its house bots; exit code 1 if something is wrong."""
    from cli.game_checks import FOUND
    from cli.output import NO_SANDBOX, Stop, print_json
    from cli.resolve import find_game
    from games.core.manifest import slugs

    began = time.monotonic()
    if game not in slugs():
        find_game(game)  # says what there is instead
    with redirect_stdout(sys.stderr):  # what the author's code prints is no part of the answer
        verdicts, sandbox, failure = _examined(game)
    if json:
        document = {"game": game, "sandbox": sandbox, "seconds": round(time.monotonic() - began, 3)}
        print_json(document | {"checks": list(map(_data, verdicts))})
    else:
        _tell(game, verdicts)
    if failure:
        raise Stop(f"{failure}; the house bots were not played", NO_SANDBOX)
    if any(verdict.state == FOUND for verdict in verdicts):
        raise typer.Exit(FOUND_SOMETHING)


def _examined(game: str) -> tuple[list[Verdict], str | None, str]:
    """All verdicts, the name of the sandbox that was used, and why there is none if it failed."""
    from cli.building import artifact_store
    from cli.game_checks import UNPLAYED, alone, playable, sandboxed
    from cli.output import progress
    from games.core.manifest import load
    from sandbox import SandboxError, open_sandbox

    verdicts: list[Verdict] = []
    with progress() as bar:
        verdicts += bar.track(alone(game), description="the game")
        if not playable(verdicts):
            return [*verdicts, UNPLAYED], None, ""
        try:
            with closing(open_sandbox(None)) as sandbox, artifact_store() as store:
                verdicts += bar.track(sandboxed(load(game), sandbox, store), description="house bots")
                return verdicts, sandbox.name, ""
        except SandboxError as error:
            return verdicts, None, str(error)


def _data(verdict: Verdict) -> dict[str, Any]:
    return {
        "check": verdict.check,
        "promise": verdict.promise,
        "state": verdict.state,
        "words": list(verdict.words),
    }


def _tell(game: str, verdicts: list[Verdict]) -> None:
    from cli.game_checks import FOUND
    from cli.output import print_table

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
    found = sum(verdict.state == FOUND for verdict in verdicts)
    print(f"\n{game}: {found} of {len(verdicts)} checks found something" if found else f"\n{game} passes")
